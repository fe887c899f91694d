"""Debian packages for this project only: fetched with apt into a private folder and unpacked, never
installed.

Mirror and keyring come from the system's apt sources. apt verifies its downloads against the signed index,
and every archive is compared with that index again before it is unpacked.
"""

from __future__ import annotations

import concurrent.futures
import hashlib
import re
import shutil
import subprocess
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import disk
from .console import Progress, SetupError, run
from .lock import exclusive
from .paths import CACHE

HERE = "amd64"
"""Debian's name for this machine's processor."""

_OS_RELEASE = Path("/etc/os-release")
_APT_FOLDER = Path("/etc/apt")
_BASE_SUITES = ("stable", "oldstable", "testing", "unstable", "sid")
_URI_LINE = re.compile(r"^'[^']+' (?P<name>\S+\.deb) (?P<size>\d+) SHA256:(?P<sha256>[0-9a-f]{64})$", re.M)

# The system's apt settings (proxies, certificates, date checks) stay in force; only the folders change. Hooks
# are cleared, because they would act on the system.
_APT_CONFIGURATION = """\
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Pre-Invoke;
#clear DPkg::Post-Invoke;
#clear DPkg::Pre-Install-Pkgs;
#clear APT::Default-Release;
Dir::State "{state}/state";
Dir::State::lists "{state}/lists";
Dir::State::status "{state}/status";
Dir::Cache "{state}/cache";
Dir::Cache::archives "{archives}";
Dir::Etc::sourcelist "{state}/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
APT::Sandbox::User "root";
APT::Architecture "{architecture}";
#clear APT::Architectures;
APT::Architectures "{architecture}";
APT::Install-Recommends "false";
Acquire::Languages "none";
Acquire::ForceHash "SHA256";
Acquire::Retries "3";
"""


class DebianUnavailable(SetupError):
    """This system has no usable Debian package sources."""


@dataclass(frozen=True)
class Source:
    """A Debian mirror of the system's apt sources. `keyring`: a file; None for apt's default."""

    uri: str
    keyring: str | None
    suites: tuple[str, ...]


@dataclass(frozen=True)
class Archive:
    """One package file as the signed index describes it."""

    name: str
    size: int
    sha256: str

    @property
    def package(self) -> str:
        return self.name.partition("_")[0]

    def is_intact(self, folder: Path) -> bool:
        file = folder / self.name
        if not file.is_file() or file.stat().st_size != self.size:
            return False
        with file.open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest() == self.sha256


class _Arrivals(Progress):
    """Counts the downloaded packages from apt's output."""

    def __init__(self, shown: Progress, total: int) -> None:
        super().__init__(shown.title)
        self._on = shown
        self._total = total
        self._count = 0

    def update(self, text: str) -> None:
        if text.startswith("Get:"):
            self._count += 1
            self._on.update(f"fetched {self._count} of {self._total} packages")


def parse_deb822(text: str) -> list[Source]:
    """Read the binary sources with the component main from a `*.sources` file."""
    sources = []
    for stanza in re.split(r"\n\s*\n", text):
        fields: dict[str, str] = {}
        for line in stanza.splitlines():
            if ":" in line and line[:1] not in "# \t":
                name, _, value = line.partition(":")
                fields[name.strip().lower()] = value.strip()
        if "deb" not in fields.get("types", "").split() or fields.get("enabled", "yes").lower() == "no":
            continue
        if "main" in fields.get("components", "").split():
            # An inline key (a multi-line field) is not a file; apt's default keyring is used then.
            keyring = fields.get("signed-by") or None
            suites = tuple(fields.get("suites", "").split())
            sources += [Source(uri, keyring, suites) for uri in fields.get("uris", "").split()]
    return sources


def parse_one_line(text: str) -> list[Source]:
    """Read the binary sources with the component main from a `sources.list` file."""
    sources = []
    for line in text.splitlines():
        match = re.match(
            r"\s*deb\s+(?:\[(?P<options>[^\]]*)\]\s+)?(?P<uri>\S+)\s+(?P<suite>\S+)\s+(?P<rest>.*)", line
        )
        if match and "main" in match["rest"].split("#")[0].split():
            options = dict(word.split("=", 1) for word in (match["options"] or "").split() if "=" in word)
            sources.append(Source(match["uri"], options.get("signed-by"), (match["suite"],)))
    return sources


def system_source() -> Source:
    """The mirror of the running Debian system (not its security or third-party sources)."""
    release = (
        dict(line.split("=", 1) for line in _OS_RELEASE.read_text().splitlines() if "=" in line)
        if _OS_RELEASE.is_file()
        else {}
    )
    remedy = "see Set up and test in CONTRIBUTING.md"
    if release.get("ID", "").strip('"') != "debian":
        raise DebianUnavailable("Debian's packages cannot be fetched", "this system is not Debian", remedy)
    for tool in ("apt-get", "dpkg"):
        if shutil.which(tool) is None:
            raise DebianUnavailable("Debian's packages cannot be fetched", f"{tool} is not on PATH", remedy)
    sources: list[Source] = []
    for file in sorted((_APT_FOLDER / "sources.list.d").glob("*.sources")):
        sources += parse_deb822(file.read_text(errors="replace"))
    for file in (_APT_FOLDER / "sources.list", *sorted((_APT_FOLDER / "sources.list.d").glob("*.list"))):
        if file.is_file():
            sources += parse_one_line(file.read_text(errors="replace"))
    wanted = {release.get("VERSION_CODENAME", "").strip('"'), *_BASE_SUITES}
    for source in sources:
        if wanted.intersection(source.suites):
            return source
    raise DebianUnavailable(
        "Debian's packages cannot be fetched",
        f"no source of this release's main component in {_APT_FOLDER}",
        remedy,
    )


def fetch(
    suite: str,
    names: Sequence[str],
    progress: Progress,
    *,
    architecture: str = HERE,
    without: Collection[str] = (),
) -> list[Path]:
    """Download packages of `suite` with everything they depend on, except the packages in `without`.

    Returns verified archives in the cache; the network is not used if all are cached.

    Raises:
        DebianUnavailable: there is no Debian mirror.
        SetupError: the download fails.
    """
    source = system_source()
    with exclusive(CACHE / "debian" / f"{suite}.lock", f"the package cache of Debian {suite}"):
        return _fetch(source, suite, names, progress, architecture, without)


def _fetch(
    source: Source,
    suite: str,
    names: Sequence[str],
    progress: Progress,
    architecture: str,
    without: Collection[str],
) -> list[Path]:
    state = CACHE / "debian" / (suite if architecture == HERE else f"{suite}-{architecture}")
    archives = state / "archives"
    sources = f"deb [{_signed_by(source)}arch={architecture}] {source.uri} {suite} main\n"
    _prepare(state, sources, architecture)

    has_index = any((state / "lists").glob("*Packages*"))
    wanted = _listed(state, suite, names, without) if has_index else []
    if wanted and not (missing := _missing(wanted, archives)):
        return [archives / archive.name for archive in wanted]
    progress.update("reading the package index")
    _apt(state, "download", suite, "update", "--error-on=any")
    wanted = _listed(state, suite, names, without)
    missing = _missing(wanted, archives)
    for archive in missing:
        # apt trusts a finished file, so damaged ones are removed first.
        (archives / archive.name).unlink(missing_ok=True)
    if missing:
        megabytes = sum(archive.size for archive in missing) / 1e6
        progress.update(f"downloading {len(missing)} packages, {megabytes:.0f} MB")
        arrivals = _Arrivals(progress, len(missing))
        packages = [archive.package for archive in missing]
        _apt(state, "download", suite, "download", *packages, progress=arrivals, cwd=archives)
    for archive in _missing(missing, archives):
        (archives / archive.name).unlink(missing_ok=True)
        raise SetupError(
            f"The package {archive.name} arrived damaged",
            "its content does not have the hash of the signed index; the file was removed",
            "run this again; if it happens again, something between this machine and the mirror alters files",
        )
    return [archives / archive.name for archive in wanted]


def fetch_source(suite: str, name: str, ending: str, progress: Progress) -> Path:
    """Download the file of a source package with this ending, such as `.orig.tar.gz`, into the cache."""
    source = system_source()
    with exclusive(CACHE / "debian" / f"{suite}.lock", f"the package cache of Debian {suite}"):
        state = CACHE / "debian" / f"{suite}-source"
        folder = state / "archives"
        _prepare(state, f"deb-src [{_signed_by(source)}] {source.uri} {suite} main\n".replace("[] ", ""))
        files = sorted(folder.glob(f"{name}_*{ending}"))
        if not files:
            progress.update("reading the package index")
            _apt(state, "download", suite, "update", "--error-on=any")
            words = ("source", "--download-only", "--tar-only", name)
            # Into another folder first: an interrupted download has its final name already.
            with disk.replacing(state / "fetched") as fresh:
                _apt(state, "download", suite, *words, progress=progress, cwd=fresh)
                for file in fresh.glob(f"{name}_*{ending}"):
                    file.rename(folder / file.name)
            files = sorted(folder.glob(f"{name}_*{ending}"))
    if not files:
        raise SetupError(
            f"The source of {name} is not there",
            f"Debian {suite} has no file {name}_*{ending}",
            "please report this to the authors of RAG Memory",
        )
    return files[-1]


def unpack(archives: Sequence[Path], folder: Path, progress: Progress) -> None:
    """Unpack package files into `folder`, two at a time."""

    def unpack_one(archive: Path) -> None:
        done = subprocess.run(["dpkg", "-x", archive, folder], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SetupError(
                f"Unpacking {archive.name} failed",
                done.stderr.strip(),
                "check the free disk space, run this again",
            )

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for number, _ in enumerate(pool.map(unpack_one, archives), 1):
            progress.update(f"unpacked {number} of {len(archives)} packages")
    # Packages from before the merged /usr have their own /lib and /bin.
    for name in ("bin", "lib", "lib64", "sbin"):
        if (folder / name).is_dir() and not (folder / name).is_symlink():
            shutil.copytree(folder / name, folder / "usr" / name, symlinks=True, dirs_exist_ok=True)
            shutil.rmtree(folder / name)
        if (folder / "usr" / name).is_dir():
            (folder / name).unlink(missing_ok=True)
            (folder / name).symlink_to(f"usr/{name}")


def _signed_by(source: Source) -> str:
    return f"signed-by={source.keyring} " if source.keyring else ""


def _prepare(state: Path, sources: str, architecture: str = HERE) -> None:
    """Make the folders and the configuration of a private apt with only these sources."""
    for folder in ("state", "lists/partial", "cache", "archives/partial", "none/partial"):
        (state / folder).mkdir(parents=True, exist_ok=True)
    (state / "status").touch()
    (state / "sources.list").write_text(sources)
    # apt lists only files missing in the archive folder, so listing uses an empty one.
    for purpose, place in (("list", state / "none"), ("download", state / "archives")):
        settings = _APT_CONFIGURATION.format(state=state, archives=place, architecture=architecture)
        (state / f"{purpose}.conf").write_text(settings)


def _missing(wanted: Iterable[Archive], folder: Path) -> list[Archive]:
    return [archive for archive in wanted if not archive.is_intact(folder)]


def _listed(state: Path, suite: str, names: Sequence[str], without: Collection[str]) -> list[Archive]:
    output = _apt(state, "list", suite, "install", "--print-uris", "-y", *names)
    archives = [Archive(m["name"], int(m["size"]), m["sha256"]) for m in _URI_LINE.finditer(output)]
    return [archive for archive in archives if archive.package not in without]


def _apt(
    state: Path,
    configuration: str,
    suite: str,
    *words: str,
    progress: Progress | None = None,
    cwd: Path | None = None,
) -> str:
    return run(
        ["apt-get", "-c", state / f"{configuration}.conf", "-q", *words],
        what=f"Fetching packages of Debian {suite}",
        remedy="check the network and that `apt-get update` works on this system, then run this again: "
        "finished downloads are not repeated",
        log=f"apt-{suite}-{words[0]}",
        progress=progress,
        cwd=cwd,
    )
