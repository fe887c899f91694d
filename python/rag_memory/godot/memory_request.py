"""The Godot class MemoryRequest: the result of an asynchronous call. It lives in the native host."""

from __future__ import annotations

from rag_memory.godot.declare import Argument, Signal, Variant, godot_class, native


@godot_class(
    "MemoryRequest",
    "RefCounted",
    signals=[
        Signal(
            "completed",
            (Argument("result", Variant),),
            "Emitted exactly once, on the main thread, never before the next frame, with the result of the "
            "call. When the call failed, `result` is what the blocking form would have returned, and "
            "`get_error()` says why. `await request.completed` also works after the request has completed: "
            "it resumes in the next frame with the same result.",
        )
    ],
    methods=[
        native("is_completed", (), bool, "Returns `true` once the answer is there.", const=True),
        native(
            "get_result",
            (),
            Variant,
            "Returns the result, or `null` while the request has not completed.",
            const=True,
        ),
        native(
            "get_error",
            (),
            str,
            "Returns what went wrong and what to do about it, or an empty string when nothing did.",
            const=True,
        ),
        native(
            "cancel",
            (),
            type(None),
            "Cancels the request. Work that has not begun is not done, work of several slices stops after "
            "the current one, and the request completes with an error; never within this call. A result "
            "that is ready at this moment is delivered all the same. Does nothing once completed.",
        ),
        native(
            "is_cancelled",
            (),
            bool,
            "Returns `true` once `cancel()` was called, for code of yours that is going to call "
            "`complete()`.",
            const=True,
        ),
        native(
            "complete",
            (Argument("result", Variant), Argument("error", str, "")),
            type(None),
            "Completes a request that you made yourself with `MemoryRequest.new()`, so that your own "
            "functions can be awaited like those of `RAGMemory`. `error` says what went wrong. Does nothing "
            "to a request that completes by itself, or a second time. Call it on the main thread.",
        ),
    ],
)
class MemoryRequest:
    """The result of an asynchronous call, available once the call has completed.

    Most methods of `RAGMemory` and `MemoryServer`, and three of `MemoryConfig`, have a form ending in
    `_async` that returns a `MemoryRequest` at once. So have those of an `NPCContextBuilder`. Await its
    `completed` signal:

    ```gdscript
    var memories: Array = await memory.retrieve_scored_async(player_line).completed
    ```

    A request always completes: also when the call fails, is cancelled, takes too long, when its node is
    freed and when the game quits. You need not keep a reference to it. Await it whenever you like: a
    request that has completed already resumes in the next frame.
    """
