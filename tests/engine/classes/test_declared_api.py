"""The public API as the engine knows it: names, types, defaults and signals are a contract."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.engine.game import Game, Home, Project, for_servers, run

from rag_memory.godot.declare import declaration_of
from rag_memory_build.all_classes import all_classes, names_of_server_part
from rag_memory_build.help_xml import help_xml
from rag_memory_server.godot.bus_calls import BusCalls

METHODS = """
MemoryServer.open_save(save_id: String, options: Dictionary = {}) -> Error
MemoryServer.new_game(save_id: String, options: Dictionary = {}) -> Error
MemoryServer.prepare_lore(source: String, options: Dictionary = {}) -> Dictionary
MemoryServer.preview_import(source: String, options: Dictionary = {}) -> Dictionary
MemoryServer.close_save() -> Error
MemoryServer.current_save() -> String
MemoryServer.list_saves(options: Dictionary = {}) -> PackedStringArray
MemoryServer.delete_save(save_id: String, options: Dictionary = {}) -> Error
MemoryServer.has_save(save_id: String, options: Dictionary = {}) -> bool
MemoryServer.copy_save(from_id: String, to_id: String, options: Dictionary = {}) -> Error
MemoryServer.get_save_info(save_id: String, options: Dictionary = {}) -> Dictionary
MemoryServer.delete_snapshot(slot: String) -> Error
MemoryServer.snapshot(slot: String) -> Error
MemoryServer.restore(slot: String) -> Error
MemoryServer.rebuild_index() -> Error
MemoryServer.list_snapshots() -> PackedStringArray
MemoryServer.mark() -> String
MemoryServer.sync() -> Error
MemoryServer.rollback_to(moment: Variant) -> int
MemoryServer.compare_snapshots(before: String, after: String = "") -> Dictionary
MemoryServer.list_npcs() -> Array[Dictionary]
MemoryServer.acquire_npc(npc_id: String) -> Error
MemoryServer.release_npc(npc_id: String) -> Error
MemoryServer.get_npc_owner(npc_id: String) -> String
MemoryServer.rename_npc(npc_id: String, new_id: String) -> Error
MemoryServer.merge_npcs(into: String, npc_id: String) -> Error
MemoryServer.forget_player(player_id: String) -> Dictionary
MemoryServer.retire_player(new_id: String, name: String = "") -> Error
MemoryServer.connect_bus(bus: MemoryEventBus, hot_cache: MemoryHotCache = null) -> Error
MemoryServer.disconnect_bus() -> Error
MemoryServer.publish_event(event: Dictionary) -> String
MemoryServer.send_command(npc_id: String, text: String) -> Error
MemoryServer.get_hot_memory(npc_id: String) -> Dictionary
MemoryServer.preload() -> MemoryRequest
MemoryServer.npc(npc_id: String) -> RAGMemory
MemoryServer.health() -> Dictionary
MemoryServer.get_activity() -> Dictionary
MemoryServer.register_names(names: PackedStringArray, check_people: bool = false) -> void
MemoryServer.check_names(memories: Array[Dictionary], known_names: PackedStringArray, hearsay: PackedStringArray) -> Array[Dictionary]
MemoryServer.apply_rule(rule: String, arguments: Array) -> Variant
MemoryServer.set_clock(callable: Callable) -> void
RAGMemory.store(text: String, importance: int = 5, data: Dictionary = {}) -> String
RAGMemory.run_command(command: String, words: String, options: Dictionary = {}) -> Dictionary
RAGMemory.store_batch(memories: Array[Dictionary]) -> PackedStringArray
RAGMemory.retrieve_scored(context: String, token_budget: int = -1, speaker: String = "player") -> Array[Dictionary]
RAGMemory.retrieve_relevant(context: String, options: Dictionary = {}) -> PackedStringArray
RAGMemory.retrieve_relevant_raw(context: String, options: Dictionary = {}) -> Array[Dictionary]
RAGMemory.knows(condition: String, min_sureness: float = 0.5, listeners: PackedStringArray = ["player"]) -> bool
RAGMemory.how_sure(condition: String, listeners: PackedStringArray = ["player"]) -> float
RAGMemory.knows_event(filter: Dictionary) -> bool
RAGMemory.get_diary(first_day: float = -1.0, last_day: float = -1.0, options: Dictionary = {}) -> Array[Dictionary]
RAGMemory.recall_best(query: String, listeners: PackedStringArray = ["player"]) -> Dictionary
RAGMemory.get_recent(count: int = 5, min_importance: int = 0, listeners: PackedStringArray = ["player"]) -> Array[Dictionary]
RAGMemory.get_memory(id: String) -> Dictionary
RAGMemory.forget(id: String) -> bool
RAGMemory.forget_where(filter: Dictionary) -> int
RAGMemory.clear_all_memories() -> int
RAGMemory.store_turn(player_message: String, npc_message: String, data: Dictionary = {}) -> String
RAGMemory.get_turns(count: int = 6, speaker: String = "player") -> Array[Dictionary]
RAGMemory.undo_exchange(exchange: String = "") -> Dictionary
RAGMemory.get_open_matters(with_id: String = "", include_closed: bool = false) -> Array[Dictionary]
RAGMemory.get_exchanges(count: int = 5) -> Array[Dictionary]
RAGMemory.get_conversation_summary(speaker: String = "player") -> Dictionary
RAGMemory.extract_memories(player_message: String, npc_message: String) -> Array[Dictionary]
RAGMemory.get_archived(id: String = "") -> Array[Dictionary]
RAGMemory.restore_archived(id: String, number: int = 0) -> bool
RAGMemory.get_memory_count() -> int
RAGMemory.set_relationship_state(state: Dictionary) -> void
RAGMemory.set_initial_relationship(state: Dictionary) -> void
RAGMemory.generate_relationship_header() -> Dictionary
RAGMemory.estimate_tokens(text: String) -> int
RAGMemory.store_with_conflict_check(text: String, importance: int = 5, data: Dictionary = {}) -> Dictionary
RAGMemory.store_conversation(speaker: String, message: String, context: Dictionary = {}) -> String
RAGMemory.store_witnessed_event(description: String, importance: int = 7, emotion: String = "surprised") -> String
RAGMemory.store_player_action(action_type: String, description: String, importance: int = 8, emotion: String = "") -> String
RAGMemory.store_quest_memory(quest_id: String, outcome: String, importance: int = 8) -> String
RAGMemory.store_milestone(milestone_type: String, description: String, emotion: String = "significant") -> String
RAGMemory.store_npc_awareness(other_npc_id: String, description: String, importance: int = 8) -> String
RAGMemory.store_npc_state(is_alive: bool, death_data: Dictionary = {}) -> String
RAGMemory.get_npc_state() -> Dictionary
RAGMemory.check_npc_state(other_npc_id: String) -> Dictionary
RAGMemory.store_relationship(with_entity: String, data: Dictionary) -> String
RAGMemory.get_relationship(with_entity: String) -> Dictionary
RAGMemory.update_memory(id: String, changes: Dictionary) -> bool
RAGMemory.pin_memory(id: String) -> bool
RAGMemory.unpin_memory(id: String) -> bool
RAGMemory.get_memory_stats() -> Dictionary
RAGMemory.calculate_memory_score(memory: Dictionary, context: String = "") -> float
RAGMemory.calculate_importance(event_type: String, analysis: Dictionary = {}, state_deltas: Dictionary = {}) -> int
RAGMemory.get_deterministic_deltas(event_type: String, context: Dictionary = {}) -> Dictionary
RAGMemory.retrieve_tiered(context: String, options: Dictionary = {}) -> Dictionary
RAGMemory.explain(context: String, memory_id: String = "", listeners: PackedStringArray = [], speaker: String = "player") -> Dictionary
RAGMemory.needs_consolidation() -> bool
RAGMemory.preview_consolidation() -> Array[Dictionary]
RAGMemory.consolidate() -> Dictionary
RAGMemory.export_json() -> String
RAGMemory.import_json(text: String) -> int
RAGMemory.dump_all_memories() -> String
RAGMemory.browse(options: Dictionary = {}) -> Dictionary
RAGMemory.get_timeline(options: Dictionary = {}) -> Dictionary
RAGMemory.capture_memories(ids: PackedStringArray) -> Dictionary
RAGMemory.put_back_memories(captured: Dictionary) -> int
RAGMemory.export_csv() -> String
RAGMemory.import_csv(text: String) -> int
RAGMemory.is_protected(memory: Dictionary) -> bool
RAGMemory.format_memories(memories: Array, style: String = "") -> PackedStringArray
MemoryConfig.apply_rule(rule: String, arguments: Array) -> Variant
MemoryConfig.get_tier_for_event(event_type: String, importance: int, interaction_type: String = "") -> int
MemoryConfig.validate_interaction_type(type: String) -> String
MemoryConfig.is_valid_interaction_type(type: String) -> bool
MemoryConfig.clamp_relationship_deltas(analysis: Dictionary) -> Dictionary
MemoryConfig.read_answer(text: String, speakers: Dictionary = {}) -> Dictionary
RAGMemory.answer_from_memory(occasion: String, said: String = "", options: Dictionary = {}) -> Dictionary
RAGMemory.begin_exchange(occasion: String, said: String = "", options: Dictionary = {}, defaults: Dictionary = {}, model: Dictionary = {}) -> Dictionary
RAGMemory.hear_exchange(exchange: String, text: String) -> String
RAGMemory.finish_exchange(exchange: String, result: Dictionary = {}) -> Dictionary
RAGMemory.record_exchange(line: String, answer: Dictionary, options: Dictionary = {}, defaults: Dictionary = {}) -> Dictionary
MemoryServer.read_model_text(text: String, schema: Dictionary = {}) -> Dictionary
MemoryConfig.get_interaction_type_constraint_prompt() -> String
MemoryConfig.is_slot_type(slot_type: String) -> bool
MemoryConfig.get_superseded_event_type(event_type: String) -> String
MemoryConfig.get_superseding_event_type(event_type: String) -> String
MemoryConfig.is_pinned_event(event_type: String) -> bool
MemoryConfig.is_important_event(event_type: String) -> bool
MemoryConfig.get_score_curves(memory_tier: int, importance: int, similarities: Array[float]) -> Dictionary
NPCMind.perceive(event: Dictionary) -> Dictionary
NPCMind.get_interactions(source_id: String = "", count: int = 5) -> Array[Dictionary]
NPCMind.analyze_sentiment(content: String, action: String = "") -> int
NPCMind.reflect(force: bool = false) -> PackedStringArray
NPCMind.get_importance_since_reflection() -> float
NPCMind.learn_fact(text: String, data: Dictionary = {}) -> String
NPCMind.get_facts(about: String = "") -> Array[Dictionary]
NPCMind.get_disposition(character_id: String) -> Dictionary
NPCMind.get_dispositions() -> Dictionary
NPCMind.adjust_disposition(character_id: String, delta: float, reason: String = "") -> Dictionary
NPCMind.get_emotion() -> Dictionary
NPCMind.feel(mood: String, intensity: float, reason: String = "", seconds: float = -1.0) -> Error
NPCMind.build_listener_context(listener_ids: PackedStringArray, scene: String = "", token_budget: int = -1, tells_scene: bool = true, speaker: String = "player") -> Dictionary
NPCMind.run_command(command: String, words: String) -> Dictionary
NPCMind.get_nearby() -> PackedStringArray
NPCMind.set_nearby(npc_ids: PackedStringArray) -> void
MemoryWorld.apply_rule(rule: String, arguments: Array) -> Variant
MemoryWorld.register_character(id: String, data: Dictionary) -> Error
MemoryWorld.get_character(id: String) -> Dictionary
MemoryWorld.list_characters(filter: Dictionary = {}) -> Array[Dictionary]
MemoryWorld.spread_rumor(event_id: String, to: String, teller: String = "") -> PackedStringArray
MemoryWorld.record_event(event: Dictionary) -> String
MemoryWorld.record_events(events: Array[Dictionary]) -> PackedStringArray
MemoryWorld.get_events(filter: Dictionary = {}) -> Array[Dictionary]
MemoryWorld.search_events(npc_id: String, query: String, options: Dictionary = {}) -> Array[Dictionary]
MemoryWorld.run_maintenance() -> Dictionary
MemoryWorld.expire_events() -> int
MemoryWorld.set_flags(values: Dictionary) -> Error
MemoryWorld.get_flags() -> Dictionary
MemoryWorld.set_facts(facts: Dictionary) -> Error
MemoryWorld.get_facts() -> Dictionary
MemoryWorld.set_player_info(changes: Dictionary) -> Error
MemoryWorld.get_player_info() -> Dictionary
MemoryWorld.search_lore(query: String, options: Dictionary = {}) -> Array[Dictionary]
MemoryWorld.import_lore(source: String, options: Dictionary = {}) -> Dictionary
MemoryWorld.import_file(source: String, options: Dictionary = {}) -> Dictionary
MemoryWorld.undo_import(id: String = "") -> Error
MemoryWorld.remove_lore(key: String) -> Error
MemoryWorld.list_lore() -> Array[Dictionary]
MemoryWorld.set_active_lore(keys: PackedStringArray) -> Error
MemoryWorld.ensure_profile(npc_id: String, stats: Dictionary = {}) -> Dictionary
MemoryWorld.regenerate_profile(npc_id: String, stats: Dictionary = {}) -> Dictionary
MemoryWorld.get_profile(npc_id: String) -> Dictionary
MemoryWorld.set_profile(npc_id: String, changes: Dictionary) -> Error
MemoryWorld.add_task(task: Dictionary) -> String
MemoryWorld.update_task(id: String, status: String, result: Dictionary = {}) -> Error
MemoryWorld.get_tasks(filter: Dictionary = {}) -> Array[Dictionary]
MemoryWorld.get_open_matters(npc_id: String = "", with_id: String = "", include_closed: bool = false) -> Array[Dictionary]
MemoryWorld.export_json(options: Dictionary = {}) -> String
MemoryWorld.import_json(text: String) -> int
RAGMemory.build_prompt(occasion: String, said: String = "", options: Dictionary = {}, defaults: Dictionary = {}) -> Dictionary
RAGMemory.build_dossier(player_message: String, scene: Dictionary = {}, config: NPCDossierConfig = null) -> Dictionary
MemoryWorld.record_debate(debate: Dictionary) -> String
MemoryWorld.search_debates(query: String, options: Dictionary = {}) -> Array[Dictionary]
MemoryRequest.is_completed() -> bool
MemoryRequest.get_result() -> Variant
MemoryRequest.get_error() -> String
MemoryRequest.cancel() -> void
MemoryRequest.is_cancelled() -> bool
MemoryRequest.complete(result: Variant, error: String = "") -> void
"""

ASYNC_TWINS = """
MemoryServer: open_save new_game prepare_lore preview_import close_save list_saves delete_save snapshot restore list_snapshots
MemoryServer: mark sync rollback_to rebuild_index
MemoryServer: has_save copy_save get_save_info delete_snapshot
MemoryServer: compare_snapshots list_npcs check_names
MemoryServer: acquire_npc release_npc get_npc_owner rename_npc merge_npcs retire_player forget_player
MemoryServer: connect_bus disconnect_bus publish_event send_command get_hot_memory
RAGMemory: store store_batch retrieve_scored retrieve_relevant retrieve_relevant_raw get_recent get_memory
RAGMemory: knows how_sure knows_event recall_best get_diary
RAGMemory: forget forget_where clear_all_memories get_memory_count generate_relationship_header
RAGMemory: store_with_conflict_check store_conversation store_witnessed_event store_player_action
RAGMemory: store_quest_memory store_milestone store_npc_awareness store_npc_state get_npc_state check_npc_state
RAGMemory: store_relationship get_relationship update_memory pin_memory unpin_memory get_memory_stats
RAGMemory: calculate_importance get_deterministic_deltas
MemoryConfig: clamp_relationship_deltas get_interaction_type_constraint_prompt validate_interaction_type
MemoryConfig: get_score_curves read_answer
RAGMemory: answer_from_memory begin_exchange hear_exchange finish_exchange record_exchange
MemoryServer: read_model_text
RAGMemory: explain calculate_memory_score retrieve_tiered needs_consolidation consolidate export_json import_json
RAGMemory: preview_consolidation
RAGMemory: undo_exchange get_exchanges run_command get_open_matters
RAGMemory: store_turn get_turns get_conversation_summary extract_memories
RAGMemory: dump_all_memories get_archived restore_archived
RAGMemory: browse get_timeline capture_memories put_back_memories export_csv import_csv
NPCMind: perceive get_interactions analyze_sentiment reflect get_importance_since_reflection learn_fact
NPCMind: get_facts get_disposition get_dispositions adjust_disposition get_emotion
NPCMind: build_listener_context run_command
NPCMind: feel
MemoryWorld: apply_rule register_character get_character list_characters run_maintenance
MemoryWorld: spread_rumor record_event record_events get_events search_events expire_events set_flags
MemoryWorld: get_flags set_facts get_facts set_player_info get_player_info search_lore import_lore
MemoryWorld: remove_lore list_lore set_active_lore ensure_profile regenerate_profile get_profile
MemoryWorld: export_json import_json import_file undo_import
RAGMemory: build_dossier build_prompt
MemoryWorld: set_profile add_task update_task get_tasks record_debate search_debates get_open_matters
"""

SIGNALS = """
MemoryServer.runtime_ready()
MemoryServer.runtime_failed(error: String)
MemoryServer.save_opened(save_id: String)
MemoryServer.save_closed(save_id: String)
MemoryServer.call_finished(report: Dictionary)
MemoryServer.world_event(event: Dictionary)
MemoryServer.command(npc_id: String, text: String)
RAGMemory.memory_added(memory_id: String)
RAGMemory.memories_recalled(count: int)
RAGMemory.milestone_created(milestone_type: String)
RAGMemory.memory_superseded(memory_id: String, by_memory_id: String)
RAGMemory.memories_consolidated(removed: int, summary_ids: PackedStringArray)
RAGMemory.failed(error: String)
MemoryRequest.completed(result: Variant)
NPCMind.disposition_changed(character_id: String, feeling: String, strength: float)
NPCMind.emotion_changed(mood: String, intensity: float)
NPCMind.memory_encoded(memory_id: String, kind: String)
NPCMind.reflected(memory_ids: PackedStringArray)
NPCMind.failed(error: String)
MemoryWorld.world_changed()
MemoryWorld.event_recorded(id: String)
MemoryWorld.rumor_spread(id: String, to: String)
MemoryWorld.task_changed(id: String, status: String)
MemoryWorld.matter_overdue(npc_id: String, matter: Dictionary)
MemoryWorld.profile_created(npc_id: String)
MemoryWorld.lore_imported(key: String, chunks: int)
MemoryWorld.failed(error: String)
"""

PROPERTIES = """
MemoryServer.summarizer: Variant
MemoryServer.reflector: Variant
MemoryServer.sentiment_analyzer: Variant
MemoryServer.profile_writer: Variant
MemoryServer.extractor: Variant
MemoryServer.debate_writer: Variant
MemoryServer.task_validator: Callable
RAGMemory.npc_id: String
RAGMemory.config: MemoryConfig
RAGMemory.persistent: bool
RAGMemory.senses: int
MemoryConfig.max_memory_chars: int
MemoryConfig.max_pinned_memories: int
MemoryConfig.max_important_memories: int
MemoryConfig.max_regular_memories: int
MemoryConfig.memory_token_budget: int
MemoryConfig.min_tiered_importance: int
MemoryConfig.use_score_based_selection: bool
MemoryConfig.score_mode: MemoryConfig.ScoreMode
MemoryConfig.tier_weights: Array[float]
MemoryConfig.recency_half_life_days: float
MemoryConfig.recency_floor: float
MemoryConfig.relevance_floor: float
MemoryConfig.stream_weights: Array[float]
MemoryConfig.stream_decay_per_hour: float
MemoryConfig.superseded_score_multiplier: float
MemoryConfig.use_dual_representation: bool
MemoryConfig.high_relevance_threshold: float
MemoryConfig.short_summary_target_length: int
MemoryConfig.short_summary_max_length: int
MemoryConfig.use_bounded_collection: bool
MemoryConfig.high_signal_recency_days: int
MemoryConfig.high_signal_event_types: Array[String]
MemoryConfig.high_signal_limit: int
MemoryConfig.semantic_top_k: int
MemoryConfig.min_semantic_importance: int
MemoryConfig.protected_slot_types: Array[String]
MemoryConfig.milestone_event_types: Array[String]
MemoryConfig.family_words: Array[String]
MemoryConfig.death_words: Array[String]
MemoryConfig.death_denial_words: Array[String]
MemoryConfig.pinned_event_types: Array[String]
MemoryConfig.important_event_types: Array[String]
MemoryConfig.importance_threshold_for_tier: int
MemoryConfig.use_analysis_for_tier_detection: bool
MemoryConfig.pinned_interactions: Array[String]
MemoryConfig.important_interactions: Array[String]
MemoryConfig.max_answer_chars: int
MemoryConfig.action_emotions: Dictionary
MemoryConfig.other_action_emotion: String
MemoryConfig.max_memories_before_consolidate: int
MemoryConfig.consolidate_target: int
MemoryConfig.consolidation_age_days: int
MemoryConfig.consolidation_min_count: int
MemoryConfig.auto_consolidate: bool
MemoryConfig.summarizer_timeout_seconds: float
MemoryConfig.check_names: bool
MemoryConfig.valid_interaction_types: Array[String]
MemoryConfig.interaction_type_similarity_threshold: float
MemoryConfig.slot_types: Array[String]
MemoryConfig.supersession_pairs: Dictionary
MemoryConfig.max_text_chars: int
MemoryConfig.max_metadata_chars: int
MemoryConfig.relevance_mode: MemoryConfig.RelevanceMode
MemoryConfig.event_words: Dictionary
MemoryConfig.neighbour_window: int
MemoryConfig.neighbour_weight: float
MemoryConfig.conversation_gap_minutes: float
MemoryConfig.exact_search_limit: int
NPCMind.memory: RAGMemory
NPCMind.config: NPCMindConfig
NPCMind.proximity_area: Node
NPCMindConfig.encoding_rules: Array[Dictionary]
NPCMindConfig.kept_interactions: int
NPCMindConfig.sentiment_mode: NPCMindConfig.SentimentMode
NPCMindConfig.action_sentiments: Dictionary
NPCMindConfig.sentiment_words: Dictionary
NPCMindConfig.friendly_from: float
NPCMindConfig.hostile_to: float
NPCMindConfig.disposition_half_life_days: float
NPCMindConfig.emotion_seconds: float
NPCMindConfig.emotion_intensity: float
NPCMindConfig.emotion_fading: NPCMindConfig.EmotionFading
NPCMindConfig.mood_rules: Array[Dictionary]
NPCMindConfig.auto_reflect: bool
NPCMindConfig.reflection_threshold: float
NPCMindConfig.reflection_memories: int
NPCMindConfig.reflection_insights: int
NPCMindConfig.reflection_importance: int
NPCMindConfig.listener_interactions: int
NPCMindConfig.listener_token_budget: int
MemoryWorld.config: MemoryWorldConfig
MemoryWorld.persistent: bool
MemoryWorldConfig.rumor_decay: float
MemoryWorldConfig.rumor_min_confidence: float
MemoryWorldConfig.relationship_event_threshold: float
MemoryWorldConfig.lore_boost: float
MemoryWorldConfig.extract_memories: bool
MemoryWorldConfig.turns_kept_raw: int
MemoryWorldConfig.turns_before_summary: int
MemoryWorldConfig.max_summary_chars: int
NPCDossierConfig.preset: NPCDossierConfig.DossierPreset
NPCDossierConfig.total_tokens: int
NPCDossierConfig.section_tokens: Dictionary
NPCDossierConfig.max_items: Dictionary
NPCDossierConfig.min_items: Dictionary
NPCDossierConfig.flow_order: Array[String]
NPCDossierConfig.min_relevance: float
NPCDossierConfig.bonus_weight: float
MemoryEventBus.url: String
MemoryEventBus.password_file: String
MemoryEventBus.ca_file: String
MemoryEventBus.timeout_seconds: float
MemoryEventBus.key_prefix: String
MemoryEventBus.zone: String
MemoryEventBus.max_stream_events: int
MemoryEventBus.batch_size: int
MemoryEventBus.max_deliveries: int
MemoryEventBus.claim_after_seconds: float
MemoryEventBus.catch_up_seconds: float
MemoryHotCache.url: String
MemoryHotCache.password_file: String
MemoryHotCache.ca_file: String
MemoryHotCache.timeout_seconds: float
MemoryHotCache.key_prefix: String
MemoryHotCache.ttl_seconds: int
MemoryHotCache.sync_interactions: int
MemoryHotCache.sync_seconds: float
MemoryCalendar.seconds_per_day: float
MemoryCalendar.first_day_number: int
MemoryCalendar.weekday_names: Array[String]
MemoryCalendar.first_weekday: int
MemoryCalendar.month_names: Array[String]
MemoryCalendar.month_days: Array[int]
MemoryCalendar.first_year: int
MemoryCalendar.first_day_of_year: int
MemoryCalendar.season_names: Array[String]
MemoryCalendar.season_starts: Array[int]
MemoryCalendar.date_format: String
MemoryPostgresStorage.host: String
MemoryPostgresStorage.port: int
MemoryPostgresStorage.database: String
MemoryPostgresStorage.schema: String
MemoryPostgresStorage.timeout_seconds: float
MemoryPostgresStorage.user: String
MemoryPostgresStorage.password_file: String
MemoryPostgresStorage.sslmode: String
MemoryPostgresStorage.root_certificate: String
MemoryWorldConfig.auto_maintenance: bool
MemoryWorldConfig.importance_decay_days: float
MemoryWorldConfig.importance_decay_most: int
MemoryWorldConfig.kept_versions: int
"""

CONSTANTS = """
RAGMemory.Sense.HEARING = 1
RAGMemory.Sense.SIGHT = 2
MemoryConfig.ScoreMode.PRODUCT = 0
MemoryConfig.ScoreMode.BALANCED = 1
MemoryConfig.ScoreMode.STREAM = 2
MemoryConfig.RelevanceMode.HYBRID = 0
MemoryConfig.RelevanceMode.DENSE = 1
MemoryConfig.RelevanceMode.KEYWORD = 2
NPCMindConfig.SentimentMode.RULES = 0
NPCMindConfig.SentimentMode.LEXICON = 1
NPCMindConfig.SentimentMode.MODEL = 2
NPCMindConfig.EmotionFading.LINEAR = 0
NPCMindConfig.EmotionFading.EXACT = 1
NPCDossierConfig.DossierPreset.CUSTOM = 0
NPCDossierConfig.DossierPreset.SMALL_4B = 1
NPCDossierConfig.DossierPreset.MEDIUM_8B = 2
NPCDossierConfig.DossierPreset.LARGE_32B = 3
"""


ADDED = declaration_of(BusCalls)
"""What MemoryServer has with the server part alone."""


def lines(text: str) -> set[str]:
    return {line for line in text.splitlines() if line}


def async_methods() -> Iterator[str]:
    arguments = {
        line.partition("(")[0]: line.partition("(")[2].rpartition(" -> ")[0] for line in lines(METHODS)
    }
    for line in lines(ASYNC_TWINS):
        cls, _, names = line.partition(": ")
        for name in names.split():
            yield f"{cls}.{name}_async({arguments[f'{cls}.{name}']} -> MemoryRequest"


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Game:
    folder: Path = tmp_path_factory.mktemp("describe")
    return run(for_servers(Project(folder / "project")), Home(folder / "home"), "describe_classes")


def test_classes(described: Game) -> None:
    assert described.value("singletons") is True
    bases = {name: (base, constructible) for name, base, constructible in described.values("base")}
    assert {name: base for name, (base, _) in bases.items()} == {
        "MemoryServer": "Object",
        "RAGMemory": "Node",
        "MemoryConfig": "Resource",
        "MemoryRequest": "RefCounted",
        "NPCMind": "Node",
        "NPCMindConfig": "Resource",
        "MemoryWorldConfig": "Resource",
        "MemoryWorld": "Object",
        "MemoryEventBus": "Resource",
        "MemoryHotCache": "Resource",
        "MemoryPostgresStorage": "Resource",
        "MemoryCalendar": "Resource",
        "NPCDossierConfig": "Resource",
    }


def test_a_game_without_the_server_part_has_none_of_its_classes(quick_project: Project, home: Home) -> None:
    game = run(quick_project, home, "describe_classes")
    classes = {name for name, _, _ in game.values("base")}
    assert {cls.name for cls in all_classes()} - classes == names_of_server_part()
    members = [*game.values("method"), *game.values("signal"), *game.values("property")]
    assert {member.partition(".")[0] for member in members} & names_of_server_part() == set()
    added = [method.name for method in ADDED.methods] + [signal.name for signal in ADDED.signals]
    of_server_part = {f"MemoryServer.{name}" for name in added}
    assert {member.partition("(")[0] for member in members} & of_server_part == set()


def test_methods(described: Game) -> None:
    found = set(described.values("method"))
    properties = [line.partition(":")[0].split(".") for line in described.values("property")]
    wanted = tuple(f"{cls}.{way}_{name}(" for cls, name in properties for way in ("get", "set", "is"))
    accessors = {line for line in found if line.startswith(wanted)}
    assert found - accessors == lines(METHODS) | set(async_methods())
    assert len(accessors) == 2 * len(properties)


def test_signals(described: Game) -> None:
    assert set(described.values("signal")) == lines(SIGNALS)


def test_properties(described: Game) -> None:
    assert lines(PROPERTIES) - set(described.values("property")) == set()


def test_constants(described: Game) -> None:
    assert set(described.values("constant")) == lines(CONSTANTS)


def names(page: ElementTree.Element, kind: str) -> list[str]:
    return [element.attrib["name"] for element in page.iter(kind)]


@pytest.mark.parametrize("cls", all_classes(), ids=lambda cls: str(cls.name))
def test_help_describes_everything_the_engine_knows(cls: object, described: Game) -> None:
    page = ElementTree.fromstring(help_xml(cls))  # type: ignore[arg-type]
    name = page.attrib["name"]

    def known(kind: str) -> set[str]:
        ends = {"method": "(", "signal": "(", "property": ":", "constant": " ="}
        texts = [line.partition(ends[kind])[0] for line in described.values(kind)]
        return {text.rpartition(".")[2] for text in texts if text.startswith(f"{name}.")}

    accessors = {element.attrib[way] for element in page.iter("member") for way in ("setter", "getter")}
    assert sorted(names(page, "method")) == sorted(known("method") - accessors)
    assert sorted(names(page, "signal")) == sorted(known("signal"))
    assert sorted(names(page, "member")) == sorted(known("property"))
    assert sorted(names(page, "constant")) == sorted(known("constant"))
    assert page.findtext("brief_description", "").strip()
    assert page.findtext("description", "").strip()
    for kind in ("method", "signal"):
        for element in page.iter(kind):
            assert len(element.findtext("description", "").strip()) > 20, element.attrib["name"]
    for kind in ("member", "constant"):
        for element in page.iter(kind):
            assert len((element.text or "").strip()) > 10, element.attrib["name"]
    for element in page.iter("param"):
        assert element.attrib["type"], element.attrib["name"]
    for reference in _references("".join(page.itertext())):
        kind, _, target = reference.partition(" ")
        if (
            "." not in target
            and kind in ("method", "member", "signal", "constant")
            and not target.startswith("ERR_")
        ):
            assert target in names(page, kind), f"[{reference}] in the help of {name} leads nowhere"


def _references(text: str) -> Iterator[str]:
    for part in text.split("[")[1:]:
        yield part.partition("]")[0]
