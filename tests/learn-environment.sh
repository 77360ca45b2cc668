# Set up PyTorch and what its tests need: sh learn-environment.sh FOLDER FOLDER/bin REQUIREMENT
# Where it cannot be installed (no network, or no such build), one line says so and FOLDER/.ready is
# missing; with HANABILAB_LEARN=required that is an error.
set -u
folder=$1
python=$2/python
torch=$3
[ "$folder/.ready" -nt pyproject.toml ] && exit 0
echo "setting up $folder with $torch ..."
rm -f "$folder/.ready"
"${PYTHON:-python3}" -m venv "$folder" || exit 1
if "$python" -m pip install --quiet --disable-pip-version-check --editable '.[learn,parquet,plot]' \
    "$torch" datasets hypothesis pytest pytest-timeout 2>"$folder/pip.log"; then
    touch "$folder/.ready"
    exit 0
fi
echo "learn-test: not run, $torch cannot be installed here: $(grep ERROR "$folder/pip.log" | tail -n 1)"
[ "${HANABILAB_LEARN:-}" != required ]
