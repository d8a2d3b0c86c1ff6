-- Deletes what the database has of a guild that the bot has left, in steps of at most p_most rows, so that no step holds
-- locks for long (decisions: Forgetting). Returns how many rows of which tables this step deleted; an empty object when
-- nothing is left. Without p_most it deletes nothing and counts.
--
-- The bot may do so 90 days after it left, and the operator at any time.
CREATE OR REPLACE FUNCTION forget_guild(p_guild_id text, p_most int) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  -- Rows that refer to others come before them. Names go if the person has no record in another guild. No condition has
  -- an IN under an OR: of a guild with many actions it would look through all of them for each row.
  places text[] := ARRAY[
    'known_names', 'user_id IN (SELECT user_id FROM cases WHERE guild_id = $1
                                UNION SELECT user_id FROM notes WHERE guild_id = $1
                                UNION SELECT user_id FROM identities WHERE guild_id = $1
                                UNION SELECT opened_by FROM tickets WHERE guild_id = $1
                                UNION SELECT user_id FROM reports WHERE guild_id = $1
                                UNION SELECT reported_by FROM reports WHERE guild_id = $1)
      AND NOT EXISTS (SELECT FROM cases c WHERE c.user_id = known_names.user_id AND c.guild_id <> $1)
      AND NOT EXISTS (SELECT FROM notes n WHERE n.user_id = known_names.user_id AND n.guild_id <> $1)
      AND NOT EXISTS (SELECT FROM identities i WHERE i.user_id = known_names.user_id AND i.guild_id <> $1)
      AND NOT EXISTS (SELECT FROM tickets t WHERE t.opened_by = known_names.user_id AND t.guild_id <> $1)
      AND NOT EXISTS (SELECT FROM reports r WHERE r.user_id = known_names.user_id AND r.guild_id <> $1)
      AND NOT EXISTS (SELECT FROM reports r WHERE r.reported_by = known_names.user_id AND r.guild_id <> $1)',
    'graphile_worker._private_jobs', 'payload->>''guild_id'' = $1',
    'idempotency_keys', 'action_id IN (SELECT id FROM actions WHERE guild_id = $1)',
    'message_archives', 'guild_id = $1',
    'target_notices', 'action_id IN (SELECT id FROM actions WHERE guild_id = $1)',
    'case_changes', 'guild_id = $1',
    'evidence', 'guild_id = $1',
    'case_messages', 'guild_id = $1',
    'case_links', 'guild_id = $1',
    'case_posts', 'case_id IN (SELECT id FROM cases WHERE guild_id = $1)',
    'approval_requests', 'guild_id = $1',
    'windows', 'guild_id = $1',
    'device_authorizations', 'guild_id = $1',
    'budgets', 'guild_id = $1',
    'tokens', 'guild_id = $1',
    'listed_people', 'list_id IN (SELECT action_id FROM person_lists WHERE guild_id = $1)',
    'person_lists', 'guild_id = $1',
    'escalations', 'guild_id = $1',
    'appeal_votes', 'appeal_id IN (SELECT id FROM appeals WHERE guild_id = $1)',
    'appeals', 'guild_id = $1',
    'appeal_settings', 'guild_id = $1',
    'ticket_settings', 'guild_id = $1',
    'log_topics', 'guild_id = $1',
    'imported_rows', 'guild_id = $1',
    'imports', 'guild_id = $1',
    'cases', 'guild_id = $1',
    'ticket_notes', 'guild_id = $1',
    'ticket_feedback', 'guild_id = $1',
    'tickets', 'guild_id = $1',
    'reports', 'guild_id = $1',
    'notes', 'guild_id = $1',
    'identities', 'guild_id = $1',
    'identity_links', 'guild_id = $1',
    'server_players', 'server_id IN (SELECT id FROM game_servers WHERE guild_id = $1)',
    'game_servers', 'guild_id = $1',
    'actions', 'guild_id = $1',
    'refusal_counts', 'guild_id = $1',
    'activity_days', 'guild_id = $1',
    'known_channels', 'guild_id = $1',
    'discord_log_entries', 'guild_id = $1',
    'discord_log_positions', 'guild_id = $1',
    'reason_presets', 'guild_id = $1',
    'escalation_steps', 'guild_id = $1',
    'escalation_policies', 'guild_id = $1',
    'role_grants', 'guild_id = $1',
    'roles', 'guild_id = $1',
    'channels', 'guild_id = $1',
    'measures', 'guild_id = $1',
    'members', 'guild_id = $1',
    'member_events', 'guild_id = $1',
    'last_words', 'guild_id = $1',
    'guild_counters', 'guild_id = $1'];
  guild guilds;
  -- Of whom the name is known in the guild, and of whom it goes.
  known text[];
  alone text[];
  partition regclass;
  done jsonb := '{}';
  count bigint;
BEGIN
  IF p_most IS NOT NULL THEN
    -- Before all else, as by forget_person: the same people are forgotten one after the other.
    PERFORM pg_advisory_xact_lock(hashtextextended('forgetting', 0));
  END IF;
  SELECT * INTO guild FROM guilds WHERE id = p_guild_id FOR UPDATE;
  IF guild.id IS NOT NULL AND guild.left_at IS NULL THEN
    RAISE EXCEPTION 'The bot is still in the guild %. Remove it there first.', p_guild_id USING ERRCODE = 'BF005';
  END IF;
  IF EXISTS (SELECT FROM database_logins WHERE login = session_user) THEN
    IF guild.id IS NULL THEN
      RETURN '{}';
    ELSIF guild.left_at > now() - interval '90 days' THEN
      RAISE EXCEPTION 'The bot forgets a guild 90 days after it left.' USING ERRCODE = 'insufficient_privilege';
    END IF;
  END IF;
  PERFORM set_config('bailiff.forgetting', 'yes', true);
  FOR partition IN SELECT relid FROM pg_partition_tree('audit') WHERE isleaf LOOP
    places := places || ARRAY[partition::text, 'guild_id = $1'];
  END LOOP;
  places := places || ARRAY['guilds', 'id = $1'];
  IF p_most IS NOT NULL THEN
    -- Locked in the order of the ids, as by everybody who meets several people (meet_people).
    known := ARRAY(SELECT user_id FROM known_names WHERE guild_ids @> ARRAY[p_guild_id] LIMIT p_most);
    EXECUTE format('SELECT ARRAY(SELECT user_id FROM known_names WHERE %s LIMIT $2)', places[2])
      INTO alone USING p_guild_id, p_most;
    PERFORM FROM known_names WHERE user_id = ANY (known || alone) ORDER BY user_id FOR UPDATE;
    places[2] := 'user_id = ANY ($3) AND ' || places[2];
    -- The names that stay are found in this guild no more.
    UPDATE known_names SET guild_ids = array_remove(guild_ids, p_guild_id) WHERE user_id = ANY (known);
    GET DIAGNOSTICS count = ROW_COUNT;
    IF count >= p_most THEN
      RETURN jsonb_build_object('known_names', count);
    END IF;
  END IF;
  FOR n IN 1..cardinality(places) BY 2 LOOP
    IF p_most IS NULL THEN
      EXECUTE format('SELECT count(*) FROM %s WHERE %s', places[n], places[n + 1]) INTO count USING p_guild_id;
    ELSE
      EXECUTE format('DELETE FROM %1$s WHERE ctid = ANY (ARRAY(SELECT ctid FROM %1$s WHERE %2$s LIMIT $2))',
                     places[n], places[n + 1]) USING p_guild_id, p_most, alone;
      GET DIAGNOSTICS count = ROW_COUNT;
    END IF;
    IF count > 0 THEN
      done := done || jsonb_build_object(places[n], count);
    END IF;
    EXIT WHEN count >= p_most;
  END LOOP;
  PERFORM set_config('bailiff.forgetting', '', true);
  RETURN done;
END
$$;
