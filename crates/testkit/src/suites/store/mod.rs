//! Suite for implementations of `Store`, one function per property. Each function needs an empty store.

pub mod activity;
pub mod ai_providers;
pub mod answers;
pub mod audit;
pub mod authenticators;
pub mod brandings;
pub mod chats;
pub mod decided_documents;
pub mod egress;
pub mod elections;
pub mod first_runs;
mod fixture;
pub mod idempotency;
pub mod life;
pub mod lists;
pub mod local_starts;
pub mod people;
pub mod pins;
pub mod pipelines;
pub mod providers;
pub mod rate_limits;
pub mod reconcile;
pub mod results;
pub mod schedules;
pub mod search_records;
pub mod searches;
pub mod signal_changes;
pub mod signal_lists;
pub mod signal_records;
pub mod signal_rights;
pub mod signals;
pub mod storage;
pub mod tasks;
pub mod tokens;
pub mod transforms;
pub mod versions;
pub mod work;

pub(crate) use fixture::at;
pub use fixture::{finished, new_search, person, set};

/// Passes every test of the suite to a macro, as `group: name, name; …`, so that none is forgotten.
#[macro_export]
macro_rules! store_behaviors {
    ($run:ident) => {
        $run! {
            searches: are_created_with_their_task, are_started_with_their_task, are_listed_newest_first, tell_how_they_stand,
                change_without_a_new_run,
                an_edit_of_an_older_state_is_refused,
                start_again_from_nothing, fence_off_an_older_run, finish_once, finish_replaces_sets_of_the_same_providers,
                finish_refuses_two_sets_of_one_provider, finish_keeps_odd_texts_and_numbers, finish_takes_many_sets,
                are_deleted_with_their_results, need_an_owner, are_counted_by_owner;
            first_runs: write_nothing_if_obsolete, append_their_notices, take_many_sets, end_without_sets,
                keep_odd_texts, need_an_owner;
            search_records: are_read_at_once, need_an_owner, may_lack_a_pipeline, are_read_as_one_by_one;
            audit: entries_are_appended_and_verified, entries_are_filtered_and_paged,
                changes_are_noted_with_what_they_changed, groups_rules_pipelines_and_schedules_are_noted,
                a_refused_change_is_not_noted, writers_at_once_leave_one_chain;
            life: updates_keep_what_is_there, updates_come_one_after_the_other, searches_expire_by_their_retention,
                searches_expire_after_their_last_change, saved_and_subscribed_searches_do_not_expire,
                removable_searches_are_the_oldest_that_nobody_keeps,
                subscribed_searches_are_listed, subscriptions_end;
            idempotency: a_key_creates_one_search, a_key_goes_with_its_search, requests_at_once_create_one_search,
                keys_end_after_a_day, claimed_keys_keep_the_first_answer, keys_of_one_user_are_bounded;
            rate_limits: are_used_once, give_turns_in_order, belong_to_one_source;
            storage: the_size_is_sampled, nothing_is_released_of_what_is_in_use;
            lists: preferences_belong_to_one_person, runs_are_kept_and_compared, runs_are_bounded,
                searches_are_looked_for, searches_of_the_assistant_are_left_out, new_results_are_counted;
            results: have_contiguous_ids, have_unique_ids_when_runs_finish_together, are_read_by_id,
                notices_are_read_without_results,
                are_listed_newest_first, say_which_need_a_right, are_replaced, keep_their_provenance,
                are_found_by_the_address_that_their_provider_gave, are_deleted, keep_the_order_of_keys,
                are_kept_whole_in_large_sets,
                change_one_after_the_other, are_marked_as_read, are_marked_as_read_once;
            providers: are_created_all_or_none, are_read_and_listed, keep_their_names_unique,
                keep_their_names_unique_among_many_writers,
                return_their_mappings_as_written, hide_their_credentials, keep_a_secret_that_is_not_sent, are_deleted;
            transforms: are_created_read_and_listed, keep_name_and_type_unique, are_replaced_and_deleted;
            pipelines: are_stored_once, are_stored_once_by_many, are_replaced;
            schedules: are_stored_once, are_taken_when_due, fire_once_after_a_pause, come_back_when_the_clock_does,
                are_taken_by_one, are_changed;
            work: is_none_at_first, tasks_wait_until_they_are_claimed, searches_are_open_until_they_are_final,
                schedules_wait_for_the_scheduler;
            people: users_are_created_and_read, users_are_replaced, user_names_are_unique,
                users_need_known_groups, users_are_listed, groups_are_kept, a_deleted_user_takes_everything_along,
                what_is_shared_outlives_its_owner, what_is_shared_needs_an_administrator,
                the_last_administrator_stays, administrators_do_not_all_leave_at_once, tokens_open_until_they_expire,
                tokens_note_their_use, tokens_are_listed_and_revoked, sessions_end, a_new_password_ends_sessions;
            tokens: of_sign_ins_end_with_a_new_password, are_revoked_all_at_once, are_bounded, are_bounded_for_many_at_once;
            authenticators: are_created_read_and_replaced, connections_belong_to_one_person,
                connections_go_with_their_person_and_authenticator, renewals_are_begun_by_one,
                renewals_end_in_the_connection_they_began_with, flows_come_back_once, flows_are_bounded, sign_ins_are_bounded,
                identities_lead_to_one_user, identities_never_lead_to_a_user_who_was_there, groups_follow_the_identity;
            ai_providers: are_created_read_and_replaced, are_brought_once, prompts_are_created_read_and_replaced,
                standard_prompts_are_restored, shared_ones_outlive_their_owner, changes_are_noted;
            answers: are_saved_with_an_id, are_results_by_their_id, are_written_by_one, rights_end, go_with_their_run;
            chats: are_kept_by_owner, messages_keep_their_order, messages_are_rated;
            activity: days_are_counted, futile_searches_are_bounded, providers_are_compared, answers_are_rated;
            brandings: what_was_saved_last_is_in_use, names_are_unique;
            signals: are_noted_once, are_noted_by_many, are_written_whole, are_verified_and_probed, are_removed,
                are_merged, are_readdressed, lose_their_bodies;
            signal_lists: are_found, are_read_by_the_thousand, have_relatives, are_counted, are_bounded;
            signal_records: are_one_for_each_text, show_nothing_of_others, end_for_one_person_alone,
                go_along_with_their_provider, stay_what_they_are, show_no_tags_of_others, tell_failures_to_one_person,
                are_not_named_by_who_typed_their_address, are_retired_when_nobody_sees_them;
            signal_rights: are_to_one_text, follow_the_source, end, supplied_texts_replace_nothing,
                go_with_their_person, go_with_their_source;
            signal_changes: are_told_in_order, are_told_in_the_order_of_commits, end_whoever_writes;
            pins: are_one_for_each_query_and_scope, need_a_text, are_unpinned, are_listed, take_long_and_odd_queries,
                are_decided_by_the_database;
            elections: are_recorded_once, leave_others_alone, know_who_asked, are_recorded_once_by_many, are_approved_once, are_rejected_once, are_found, become_stale, are_bounded;
            decided_documents: leave_nothing_undecided, are_one_after_a_merge, outlive_people;
            egress: scans_run_one_at_a_time, scans_end_once, events_are_kept_once, events_belong_to_one_person,
                scans_are_bounded;
            reconcile: stay_until_they_ended, are_run_by_one_holder, unsent_are_claimed_in_turn,
                given_up_are_tried_again_by_hand, are_found_by_owner, unended_searches_are_found;
            tasks: are_claimed_in_order, are_claimed_once, are_forgotten_when_they_failed_long_ago, come_back_when_a_lease_ends, come_back_when_the_clock_does,
                are_held_by_renewal,
                are_retried, are_given_up, are_given_up_when_workers_die, are_counted, are_released,
                keep_their_payload, workers_are_heard_of, pings_are_answered_once, wait_in_the_outbox,
                put_back_wait_in_the_outbox,
                wait_in_the_outbox_by_owner, of_one_owner_leave_slots_for_others,
                of_a_lost_worker_come_back_in_turn, are_chosen_as_the_rule_says;
            local_starts: are_not_sent_while_they_are_held, are_sent_when_their_process_is_lost,
                are_not_run_twice_when_they_are_sent_too_early, are_sent_when_their_process_stops_or_they_fail,
                are_counted_by_owner, come_back_when_the_clock_does;
            versions: grow_by_one_with_every_edit, refuse_an_edit_of_an_older_one, let_one_of_many_edits_through,
                grow_when_others_change_the_record, of_results_stand_for_their_content, of_searches_guard_deletion,
                of_unknown_records_are_not_found;
        }
    };
}
