# Install Debian's chromium for the tests of the pages, if that needs no password; else say so.
set -u
for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null 2>&1 && exit 0
done
as_root=
[ "$(id -u)" = 0 ] || as_root="sudo -n"
install() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get "$@" >/dev/null 2>&1; }
if command -v apt-get >/dev/null 2>&1 && $as_root true 2>/dev/null; then
    echo "installing chromium for the tests of the pages ..."
    install install -y --no-install-recommends chromium && exit 0
    install update && install install -y --no-install-recommends chromium && exit 0
fi
echo "no chromium, and it cannot be installed here: the tests in a browser" \
    "$([ "${HANABILAB_BROWSER:-}" = required ] && echo 'will fail' || echo 'are skipped');" \
    "install Debian's package chromium and run make test again"
