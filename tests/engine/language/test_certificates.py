"""HTTPS of language models: whose certificate is trusted."""

from __future__ import annotations

from tests.engine.game import Home, Project, run


def test_only_a_trusted_certificate_for_the_right_name_is_taken(quick_project: Project, home: Home) -> None:
    run(quick_project, home, "own_certificate")
    folder = home.user_data(quick_project)
    trusted = quick_project.folder / "trusted.crt"
    names = ("trusted", "misnamed", "expired")
    certificates = "".join((folder / f"{name}.crt").read_text(encoding="utf-8") for name in names)
    trusted.write_text(certificates, encoding="utf-8")
    quick_project.write_settings(
        {"network/tls/certificate_bundle_override": '"res://trusted.crt"'},
    )
    game = run(quick_project, home, "own_certificate", errors=["TLS handshake error"])
    assert game.value("trusted") == "Mira."
    for name in ("misnamed", "unknown", "expired"):
        assert "has no certificate that can be trusted" in game.value(name)
