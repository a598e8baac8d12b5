"""Rows 116 to 160: names, tables, secrets, storage, process, owner. How to read it: `tests/failure_modes/rows.py`."""

LIST = """
116 an account's name on a wire without passwords
    tests.wires.test_stratego_lines_rows.LogInRows.test_row_116_names_of_guests_and_accounts
    tests.lobby.test_sessions.GuestTests.test_a_reserved_name
117 one client that opens tables without end
    tests.wires.test_eriantys_catalogue.LobbyTests.test_row_117_three_games_of_one_address_wait
    tests.lobby.test_queues.GatheringTests.test_row_117_one_address_has_so_many_tables_waiting
118 a table that is opened and left waiting
    tests.wires.test_eriantys_catalogue.LobbyTests.test_row_118_a_game_waits_for_ten_minutes
    tests.lobby.test_queues.GatheringTests.test_row_118_a_table_waits_ten_minutes
119 a table that everybody has left
    tests.tables.test_table.ClockTests.test_deserted_table_is_archived_after_a_day
    tests.tables.test_table.ClockTests.test_deserted_table_sleeps_and_nobody_forfeits
    tests.tables.test_table.ClockTests.test_a_match_in_which_nobody_has_acted_ends_with_its_last_player
    tests.lobby.test_sleeping.EndTests.test_an_address_keeps_its_newest_tables
    tests.lobby.test_sleeping.EndTests.test_down_time_does_not_count_and_up_time_does
    tests.lobby.test_sleeping.EndTests.test_an_hour_of_abandoned_matches_leaves_nothing_behind
120 a player who drops when losing; a host that was down
    tests.tables.test_table.ClockTests.test_lost_seat_is_forfeited_when_the_grace_ends
    tests.tables.test_table_restart.RestartTests.test_down_time_is_charged_to_nobody
    tests.tables.test_table_restart.RestartTests.test_first_grace_is_two_minutes_at_least
121 two who take the last seat
    tests.wires.test_eriantys_catalogue.LobbyTests.test_row_121_the_last_seat
    tests.lobby.test_queues.GatheringTests.test_row_121_one_of_two_takes_the_last_seat
    tests.lobby.test_lobby.PairingTests.test_players_are_paired_in_the_order_they_came
122 one person in both seats
    tests.tables.test_table.PlayingTests.test_both_are_told_of_a_move
    - allowed under two names, as in this test, whose players have one address; a name has one seat
123 a fault in a game's master
    tests.tables.test_table.PlayingTests.test_broken_master_suspends_its_table_alone
    tests.tables.test_table_faults.FaultTests.test_beginning
    tests.tables.test_table_faults.FaultTests.test_acting
    tests.tables.test_table_faults.FaultTests.test_notation
    tests.tables.test_table_faults.FaultTests.test_time
    tests.tables.test_table_faults.FaultTests.test_view
    tests.tables.test_table_faults.FaultTests.test_others_play_on
    tests.ops.test_watchdog.BellTests.test_every_table_is_told_to_the_operator
    tests.ops.test_watchdog.BellTests.test_three_within_a_minute_end_the_host
    tests.test_tap.HostTests.test_three_suspended_tables_end_the_host
124 acting at a table that is suspended, or not back yet
    tests.tables.test_table_faults.FaultTests.test_notation
    tests.test_service.StartTests.test_tables_are_resumed_before_ports_open
    - what is refused is answered at once, so nothing is kept for later
125 a clock that rings for a table that is over; coming back to one that was put away
    tests.tables.test_table.ClockTests.test_deserted_table_is_archived_after_a_day
    tests.tables.test_table.ClockTests.test_lost_seat_is_forfeited_when_the_grace_ends
    tests.wires.test_onitama.CatalogueTests.test_row_99_a_match_whose_end_was_missed_is_over
126 a move and the end of its time in one turn
    tests.tables.test_table.ClockTests.test_a_move_at_the_deadline_is_too_late
127 a system's clock that jumps
    tests.test_tap.HostTests.test_time_is_monotonic
    tests.test_limits.TokenBucketTests.test_a_clock_set_back
    tests.storage.test_files.StartsTests.test_a_clock_that_was_set_back_locks_nobody_out
128 a piece's kind in anything that the other player gets
    tests.wires.test_stratego_frames.SecretTests.test_row_128_nothing_leaks
    tests.wires.test_stratego_frames.SecretTests.test_leaks_are_found
    tests.wires.test_stratego_lines.SecretTests.test_row_128_nothing_leaks
    tests.wires.test_console_secrets.SecretTests.test_row_128_nothing_leaks
    tests.games.test_stratego_secrets.SecretTests.test_nothing_leaks
    tests.games.test_stratego_secrets.SecretTests.test_leaks_are_found
129 answers whose time depends on what is hidden
    tests.games.test_stratego_master.RefusalTimeTests.test_row_129_same_lines_whatever_is_hidden
130 what a battle shows
    tests.wires.test_stratego_frames_rows.EndTests.test_row_130_battles_name_the_winner_of_the_battle
    tests.games.test_stratego_secrets.SecretTests.test_pairs_differ_for_the_one_who_hides
131 what is in the bag, and in which order
    tests.games.test_eriantys_rules.BagTests.test_row_131_the_bag_has_no_order
    tests.games.test_eriantys_rules.BagTests.test_events_hold_its_size_alone
132 luck that can be foreseen, or is uneven
    tests.games.test_base.SystemChanceTests.test_in_range
    tests.games.test_base.ShuffledTests.test_row_132_evenly_spread
    tests.games.test_base.ShuffledTests.test_every_order_from_exactly_one_script
    tests.test_layers.PackageTests.test_who_imports_whom
133 a fall between a draw and its entry
    tests.games.test_base.JournalledChanceTests.test_row_133_a_step_that_fails
    tests.tables.test_table.LateJournalTests.test_nothing_is_said_before_it_is_durable
    tests.tables.test_table_restart.RestartTests.test_a_table_that_nobody_was_told_of_is_put_away
134 an owner who reads secrets
    tests.storage.test_sqlite.LifeTests.test_row_134_files_are_the_owners_alone
    - the journal holds what was drawn, and its owner can read it: docs/journal.rst says so
135 kill -9
    tests.end_to_end.test_restart.RestartTests.test_kills_lose_nothing
    tests.end_to_end.test_restart.RestartTests.test_a_host_that_answers_first_is_found_out
    tests.end_to_end.test_console.ConsoleTests.test_a_seat_is_kept_over_a_kill
    tests.storage.test_power.KillTests.test_what_was_said_is_there
136 the power goes
    tests.storage.test_power.PowerTests.test_nothing_acknowledged_is_lost
    tests.storage.test_power.PowerTests.test_less_than_full_sync_is_caught
137 a disk that is full, or breaks
    tests.end_to_end.test_restart.FullDiskTests.test_full_disk_ends_the_host_and_no_acknowledged_move_is_lost
    tests.end_to_end.test_restart.ReadOnlyTests.test_read_only_in_mid_game
    tests.storage.test_files.ReasonTests.test_what_the_system_says
    tests.storage.test_power.FaultTests.test_no_space_once
    tests.storage.test_power.FaultTests.test_broken_once
    tests.storage.test_power.FaultTests.test_trying_again_is_caught
    tests.test_service.RoomTests.test_no_new_tables_on_a_disk_that_is_nearly_full
    tests.test_service.RoomTests.test_full_disk_stops_the_host_in_order
    tests.test_service.RoomTests.test_start_on_a_full_disk
138 a disk that is slow
    tests.test_service.PressureTests.test_players_are_not_read_while_the_disk_is_behind
    tests.test_service.PressureTests.test_nobody_is_let_in_while_the_disk_is_far_behind
    tests.test_service.PressureTests.test_disk_that_is_gone_ends_the_host
    tests.storage.test_writer.BacklogTests.test_levels_by_age
139 a journal that was damaged, cut short or put back
    tests.storage.test_damage.LogTests.test_a_flipped_bit_is_refused
    tests.storage.test_damage.LogTests.test_damage_behind_the_mark_is_refused
    tests.storage.test_damage.LogTests.test_what_is_refused_is_left_as_it_was
    tests.storage.test_damage.StoreTests.test_a_truncated_store_is_refused
    tests.storage.test_damage.BitFlipTests.test_no_flip_is_silent
    tests.storage.test_files.IdentityTests.test_a_deleted_store
    tests.end_to_end.test_restart.DeletedTests.test_a_deleted_log
    tests.storage.test_files.IdentityTests.test_a_replaced_log
    tests.storage.test_damage.StoreTests.test_an_older_copy_is_refused
    tests.storage.test_damage.LogTests.test_loss_is_accepted_when_that_is_said
    tests.end_to_end.test_restart.RefusedTests.test_older_copy_put_back
140 a store that another program holds
    tests.storage.test_sqlite.OwnershipTests.test_a_second_host_is_refused_and_the_first_unharmed
141 a second host
    tests.end_to_end.test_restart.RefusedTests.test_second_host_on_the_same_store
    tests.storage.test_files.SharedTests.test_the_mark_of_another_host
    tests.storage.test_files.LockTests.test_locks_that_do_nothing
    tests.end_to_end.test_cluster.OneDatabaseTests.test_a_host_alone_on_the_database_of_a_cluster
    tests.end_to_end.test_cluster.OneDatabaseTests.test_a_cluster_on_the_database_of_a_host_alone
    tests.end_to_end.test_restart.RefusedTests.test_locks_that_do_nothing
    tests.storage.test_files.NameTests.test_a_symbolic_link_is_followed
    tests.storage.test_files.NameTests.test_a_hard_link_is_refused
142 a reader who does not let go
    tests.storage.test_inspect.SqliteTests.test_a_live_journal_is_not_read
143 a store of another release
    tests.storage.test_sqlite.SchemaTests.test_an_older_store_is_brought_up
    tests.storage.test_sqlite.SchemaTests.test_a_step_that_fails_changes_nothing
    tests.storage.test_sqlite.OwnershipTests.test_a_newer_schema_is_refused
    tests.storage.test_upgrade.UpgradeTests.test_killed_while_it_is_converted
144 rules of another version
    tests.lobby.test_lobby.PairingTests.test_games_that_are_not_played_here_stay_in_the_journal
    tests.tables.test_table_restart.RestartTests.test_a_record_that_cannot_be_followed_keeps_only_its_table_down
    tests.journal.test_replay.GoldenTests.test_every_golden_match_ends_as_it_did
    tests.journal.test_replay.TableTests.test_a_changed_rule_keeps_its_table_out_and_no_other
145 SIGTERM
    tests.end_to_end.test_restart.RestartTests.test_stopped_in_mid_game_and_on
    tests.test_service.StopTests.test_what_was_accepted_is_told_before_the_goodbye
    tests.test_service.StopTests.test_stopping_ends_though_nobody_reads
    tests.lobby.test_lobby.PairingTests.test_stopping_is_leaving_for_nobody
146 SIGTERM twice
    tests.end_to_end.test_operating.SignalTests.test_told_twice_to_stop
147 other signals
    tests.end_to_end.test_operating.SignalTests.test_signals_that_end_nothing
    tests.ops.test_watchdog.SignalTests.test_hangup_opens_files_anew
    tests.ops.test_watchdog.SignalTests.test_others
148 no memory left
    tests.net.test_connection_costs.CostTests.test_clients_that_never_read
    tests.net.test_connection_costs.CostTests.test_silent_connection
    tests.test_contrib.UnitTests.test_limits_fit_the_hosts
    - a process that is killed for it loses what row 135 loses: nothing
149 a database server that restarts
    - does not apply: the journal is a file of SQLite's, and no server stands between
150 a reactor that stands still
    tests.ops.test_watchdog.StandstillTests.test_standstill
    tests.ops.test_watchdog.ThreadTests.test_blocked_for_real
    tests.test_service.WatchingTests.test_supervisor_is_told
    tests.end_to_end.test_operating.SupervisorTests.test_ready_alive_stopping
151 a repeated call that fails once
    tests.test_service.WatchingTests.test_look_that_fails_is_not_the_last
152 an error that nobody waits for
    tests.test_repository.SuiteTests.test_errors_that_nobody_waits_for_fail_a_test
153 secrets in logs and errors
    gamehost.testing.wire_contract.WireContract.test_nothing_shows_what_was_sent
    tests.wires.test_stratego_lines.CanaryTests.test_a_crash_in_the_conversation
    tests.ops.test_logging.LineTests.test_error
    tests.ops.test_watchdog.ThreadTests.test_stacks_hold_no_values
154 lines of log that somebody else begins
    tests.ops.test_logging.LineTests.test_one_event_is_one_line
    tests.ops.test_logging.LineTests.test_escapes
155 a flood of log
    tests.ops.test_logging.FloodTests.test_flood_is_counted
    tests.ops.test_logging.FloodTests.test_other_kinds_are_written_meanwhile
    tests.ops.test_logging.FloodTests.test_hang_ups_of_a_wire
156 a log that takes nothing
    tests.ops.test_logging.PlaceTests.test_full_disk
    tests.ops.test_logging.PlaceTests.test_reader_that_is_gone
    tests.end_to_end.test_operating.LogTests.test_standard_output_closed
    tests.end_to_end.test_operating.LogTests.test_nobody_reads_the_log
157 options that cannot be
    tests.test_config.OptionsTests.test_bad_options_name_themselves
    tests.test_config.OptionsTests.test_bad_files_name_themselves
    tests.test_config.OptionsTests.test_what_is_no_file
    tests.test_config.OptionsTests.test_hostile_files
    tests.test_config.WrongCommandLineTests.test_hostile_values
    tests.test_tap.HostTests.test_bad_endpoint_is_named
    tests.test_service.StartTests.test_port_that_cannot_be_had
    tests.net.test_tls.FolderTests.test_key_that_everybody_can_read
    tests.net.test_tls.FolderTests.test_unreadable
158 a certificate that is renewed
    tests.net.test_tls.SpeakingTests.test_exchanged_certificate
    tests.end_to_end.test_operating.TLSTests.test_tls_in_a_sandbox
159 a port for administration
    tests.test_tap.HostTests.test_listens_on_every_wire_with_room_for_a_rush
    - there is none: the host opens the wires' ports and no other, as this test counts
160 a dependency with a known hole
    tests.test_repository.SuiteTests.test_dependencies_are_without_known_holes
    - the least versions are without holes that were known; nothing here asks whether new ones have become known
"""
