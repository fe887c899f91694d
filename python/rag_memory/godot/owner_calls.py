"""The calls of the Godot singleton MemoryServer about who NPCs are, and which game has them."""

from __future__ import annotations

from typing import Any

from rag_memory.godot.declare import OK, Error, method
from rag_memory.godot.open_saves import OpenSaves
from rag_memory.godot.server_part import ServerConnection
from rag_memory.ids import normal_id
from rag_memory.step import Steps


class OwnerCalls:
    """Acquires and releases NPCs of a save that several games share, and gives NPCs other ids."""

    def __init__(self, saves: OpenSaves, connection: ServerConnection) -> None:
        self._saves = saves
        self._connection = connection

    @method(writes=True)
    def acquire_npc(self, npc_id: str) -> Error:
        """Locks an NPC for this game, so that only this game can change its memories.

        Only needed in a save on a server that several games have open: there an NPC belongs to one of them at
        a time. The first game to use an NPC acquires it automatically, unless it has released it with
        `release_npc()`. Returns `ERR_LOCKED` when another game has the NPC; the output names that game. The
        NPC remembers everything that happened there. In a save in a file every NPC belongs to the game.
        Returns `ERR_FILE_NOT_FOUND` when no save is open.
        """
        self._saves.needed_for("acquire_npc").npcs.acquire(npc_id)
        self._connection.note_acquired()
        return OK

    @method(barrier=True, writes=True)
    def release_npc(self, npc_id: str) -> Steps[Error]:
        """Releases an NPC, for example when it leaves the zone of this game server.

        Calls that were made before are finished first, and what they wrote is kept. Another game may then
        acquire it. In this game, calls that read still work, and see what the NPC learns there; calls that
        would change its memories fail until `acquire_npc()`. In a save in a file nothing changes. Returns
        `ERR_FILE_NOT_FOUND` when no save is open.
        """
        save = self._saves.needed_for("release_npc")
        yield from self._connection.leave_steps(npc_id)
        save.npcs.release(npc_id)
        return OK

    @method()
    def get_npc_owner(self, npc_id: str) -> str:
        """Returns the name of the game that has an NPC, such as `"process 4711 on zone-1"`. Empty when no
        game has it, or no save is open.
        """
        chosen = self._saves.for_reading("get_npc_owner")
        return "" if chosen is None else chosen.store.owners.owner_of(normal_id(npc_id))

    @method(barrier=True, writes=True)
    def rename_npc(self, npc_id: str, new_id: str) -> Error:
        """Gives an NPC another id, for example when a nameless bandit joins the player as Olaf.

        Everything that refers to the NPC by its id gets the new one: its memories, feelings, conversations
        and profile, what others remember of it and feel for it, events, tasks and what it knows of. Texts
        stay as they were written. All of it is changed or nothing, and `rollback_to()` a mark of before takes
        it back. Exchanges of before can no longer be undone.

        Set `RAGMemory.npc_id` of its nodes afterwards: a node with the former id is somebody new.

        Returns `ERR_INVALID_PARAMETER` when the save has nothing of `npc_id`, or has somebody with the new id
        (see `merge_npcs()`), `ERR_FILE_ALREADY_IN_USE` when another game server has the save open, and
        `ERR_FILE_NOT_FOUND` when no save is open.
        """
        self._saves.needed_for("rename_npc").identities.rename(npc_id, new_id)
        return OK

    @method(barrier=True, writes=True)
    def merge_npcs(self, into: str, npc_id: str) -> Error:
        """Makes one NPC of two, for example when the masked stranger turns out to be the baker.

        `into` gets the memories, feelings and conversations of `npc_id`, and whatever named `npc_id` names
        `into`. Where there can be only one, such as a profile or the faction of a character, that of `into`
        stays; the later one of two feelings holds. The rest is as in `rename_npc()`.
        """
        self._saves.needed_for("merge_npcs").identities.merge(into, npc_id)
        return OK

    @method(barrier=True, writes=True)
    def retire_player(self, new_id: str, name: str = "") -> Error:
        """Turns the current player into a character of the past, for a new hero in an old world.

        The new player is a stranger to every NPC. The former hero gets `new_id`: deeds, conversations,
        relationships, feelings and events are that person's, and so is what `MemoryWorld.get_player_info()`
        had (now in `MemoryWorld.get_character()`). Stored texts stay, but wherever an NPC tells a former
        memory, "the player" is called by `name`. Set what belongs to the new hero afterwards, for example
        with `MemoryWorld.set_player_info()`.

        Errors and `rollback_to()` are as in `rename_npc()`.

        Args:
            name: what the former hero is called; empty for the name in `MemoryWorld.get_player_info()`, or
                else `new_id`.
        """
        self._saves.needed_for("retire_player").identities.retire_player(new_id, name)
        return OK

    @method(barrier=True, writes=True)
    def forget_player(self, player_id: str) -> dict[str, Any]:
        """Deletes everything that the open save has of a player, for games that must. All of it is deleted,
        or nothing; nothing brings it back.

        Deleted are the memories of all NPCs that name the player by the id or by a name that the save has for
        it, their earlier and archived versions and what `RAGMemory.forget()` deletes with them; conversations
        and their summaries, feelings, relationships, entries of the log of interactions, names; events,
        tasks, facts and the other documents of the world that name the player, and what profiles of others
        say of it. All marks end, and no exchange can be undone any more. The file is written anew, so that
        deleted texts cannot be read from it either; a server does that by its own `VACUUM`.

        Not reached are flags, lore, snapshots (see the result), other saves, exported and copied files, what
        a `MemoryEventBus` carries, and a nickname that no name in the save tells of: use
        `RAGMemory.forget_where()` for it. A name that is an ordinary word, such as "Will" or "Rose", counts
        where it is written as a name; at the start of a sentence, only where a person's deed follows.

        Args:
            player_id: `"player"` in games with one player.

        Returns:
            how many `memories`, `interactions`, `turns` and `documents` were deleted or changed, and
            `snapshots`: the slots of snapshots, which may have the player. Delete them, or take them again.
            Empty on failure.
        """
        return self._saves.needed_for("forget_player").player_data.forget(player_id)
