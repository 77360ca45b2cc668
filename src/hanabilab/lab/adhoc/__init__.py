"""Ad-hoc teams: how a player does with partners it has not met (Sarmasi et al. 2021)."""
