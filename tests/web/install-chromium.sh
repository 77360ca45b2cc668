# Install Debian's chromium for the tests of the pages, unless there is a browser already.
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
echo "chromium cannot be installed here without a password or without apt-get;" \
    "install it by hand (on Debian the package chromium)" >&2
exit 1
