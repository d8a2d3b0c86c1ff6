-- Removes a person from the database, in one transaction (decisions: Forgetting). What only concerns them is deleted, and
-- so is every text about or by them. In what remains a new id, which belongs to nobody, stands for theirs everywhere.
-- Each guild concerned gets an audit row. Returns how many rows of which tables were deleted or changed.
--
-- Only the owner of the tables may call it.
CREATE OR REPLACE FUNCTION forget_person(p_user_id text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  -- An id of January or February 2015, when Discord had no accounts. It is drawn, not computed: a digest of an id could
  -- be found again by trying all ids.
  pseudonym text := (10000000000000000 + floor(random() * 9000000000000000)::bigint)::text;
  whole_id text := '(?<![0-9])' || p_user_id || '(?![0-9])';
  -- Their appeals, the reports about and by them, and the tickets that they opened.
  records text[];
  -- Of calls about them or those records. Such a digest can be found again by trying all ids.
  digests text[];
  -- Statements with the person as $1, those records as $3 and those digests as $4, and the table whose rows they count.
  steps text[] := ARRAY[
    'sessions', 'DELETE FROM sessions WHERE user_id = $1',
    'accounts', 'DELETE FROM accounts WHERE user_id = $1 OR provider_account_id = $1',
    'users', 'DELETE FROM users WHERE id = $1',
    'members', 'DELETE FROM members WHERE user_id = $1',
    'member_events', 'DELETE FROM member_events WHERE user_id = $1',
    'last_words', 'DELETE FROM last_words WHERE user_id = $1',
    -- Whoever stores their name meanwhile has locked a row of these two tables: the name is found after that.
    'approval_requests', 'DELETE FROM approval_requests
      WHERE target_id = $1 OR target_id = ANY ($3) OR target_id IN (SELECT id FROM cases WHERE user_id = $1)
        OR input->>''user_id'' = $1 OR token_id IN (SELECT id FROM tokens WHERE issuer_id = $1)',
    'names_to_learn', 'DELETE FROM names_to_learn WHERE user_id = $1',
    'known_names', 'DELETE FROM known_names WHERE user_id = $1',
    'direct_channels', 'DELETE FROM direct_channels WHERE user_id = $1',
    'imported_rows', 'DELETE FROM imported_rows WHERE record_id IN (
      SELECT id FROM cases WHERE user_id = $1 UNION SELECT id FROM notes WHERE user_id = $1
      UNION SELECT id FROM tickets WHERE opened_by = $1)',
    'imports', 'UPDATE imports SET page = NULL WHERE page::text ~ $2',
    'notes', 'DELETE FROM notes WHERE user_id = $1',
    'ticket_feedback', 'DELETE FROM ticket_feedback WHERE ticket_id IN (SELECT id FROM tickets WHERE opened_by = $1)',
    'ticket_notes', 'DELETE FROM ticket_notes WHERE ticket_id IN (SELECT id FROM tickets WHERE opened_by = $1)',
    'server_players', 'DELETE FROM server_players WHERE server_id IN (SELECT s.id FROM game_servers s
      JOIN identities i ON i.guild_id = s.guild_id WHERE i.user_id = $1)',
    'identities', 'DELETE FROM identities WHERE user_id = $1',
    'identity_links', 'DELETE FROM identity_links WHERE user_id = $1',
    'appeals', 'DELETE FROM appeals WHERE user_id = $1',
    'reports', 'DELETE FROM reports WHERE user_id = $1 OR reported_by = $1',
    'listed_people', 'DELETE FROM listed_people WHERE user_id = $1',
    'budgets', 'DELETE FROM budgets WHERE holder_id = $1',
    'device_authorizations', 'DELETE FROM device_authorizations WHERE decided_by = $1',
    'rate_limits', 'DELETE FROM rate_limits WHERE key ~ $2',
    'graphile_worker._private_jobs', 'DELETE FROM graphile_worker._private_jobs
      WHERE payload::text ~ $2 OR key ~ $2
        OR job_queue_id IN (SELECT id FROM graphile_worker._private_job_queues WHERE queue_name ~ $2)',
    'graphile_worker._private_job_queues', 'DELETE FROM graphile_worker._private_job_queues WHERE queue_name ~ $2',
    'target_notices', 'DELETE FROM target_notices WHERE action_id IN (SELECT id FROM actions WHERE target_id = $1)',
    'tokens', 'UPDATE tokens SET ip_allowlist = DEFAULT, revoked_at = coalesce(revoked_at, clock_timestamp()),
        revoked_reason = coalesce(revoked_reason, ''operator''),
        revoked_by = CASE WHEN revoked_at IS NULL THEN ''operator'' ELSE revoked_by END
      WHERE issuer_id = $1',
    'refusal_counts', 'UPDATE refusal_counts SET address = ''''
      WHERE token_id IN (SELECT id FROM tokens WHERE issuer_id = $1)',
    'actions', 'UPDATE actions SET input = ''{}'', digest = '''', result = NULL, error = NULL
      WHERE operation IN (''reports.add'', ''tickets.open'', ''identities.link'') AND $1 IN (actor_user_id, input->>''user_id'')',
    -- Whoever goes on with one, or finds out how it ended, has to know the ticket, or the channel of a purge.
    'actions', 'UPDATE actions SET digest = '''', result = NULL, error = NULL,
        input = CASE state WHEN ''unknown'' THEN input - ARRAY[''reason'', ''contains'', ''user_id''] ELSE ''{}'' END
      WHERE target_id = ANY ($3) AND state NOT IN (''pending'', ''running'')
        OR operation = ''messages.purge'' AND input->>''user_id'' = $1',
    'actions', 'UPDATE actions SET input = ''{}'', digest = '''', result = NULL, error = NULL
      WHERE target_id = $1 OR target_id IN (SELECT id FROM cases WHERE user_id = $1)',
    -- A call that is repeated with its key is still found, and not made again.
    'idempotency_keys', 'UPDATE idempotency_keys SET key = signature_of(''idempotency key '' || key) WHERE key ~ $2',
    'case_changes', 'DELETE FROM case_changes WHERE case_id IN (SELECT id FROM cases WHERE user_id = $1)',
    'evidence', 'DELETE FROM evidence WHERE case_id IN (SELECT id FROM cases WHERE user_id = $1)
      OR case_id IS NULL AND action_id IN (SELECT id FROM actions WHERE target_id = $1)',
    'case_messages', 'DELETE FROM case_messages
      WHERE author_id = $1 OR case_id IN (SELECT id FROM cases WHERE user_id = $1)',
    'actions', 'UPDATE actions SET address = NULL WHERE actor_user_id = $1 AND address IS NOT NULL',
    'audit', 'UPDATE audit SET details = NULL, digest = NULL
      WHERE (target_id = $1 OR target_id = ANY ($3) OR target_id IN (SELECT id FROM cases WHERE user_id = $1))
        AND (details IS NOT NULL OR digest IS NOT NULL)',
    'audit', 'UPDATE audit SET digest = NULL WHERE digest = ANY ($4)',
    'audit', 'UPDATE audit SET details = details - ''digest''
      WHERE operation = ''approvals.decide'' AND details->>''digest'' = ANY ($4)',
    -- Without a digest it would admit other calls.
    'windows', 'UPDATE windows SET digest = signature_of(digest) WHERE digest = ANY ($4)',
    'audit', 'UPDATE audit SET address = NULL WHERE actor_user_id = $1 AND address IS NOT NULL',
    'cases', 'UPDATE cases SET reason = CASE WHEN reason IS NOT NULL THEN '''' END, player_name = NULL, in_game_id = NULL,
        end_reason = CASE WHEN end_reason IS NOT NULL THEN '''' END
      WHERE user_id = $1',
    'tickets', 'UPDATE tickets SET subject = '''', answers = ''[]'', close_reason = NULL, transcript = NULL
      WHERE opened_by = $1',
    'tickets', 'UPDATE tickets SET transcript = without_lines_of(transcript, $1) WHERE transcript::text ~ $2',
    'message_archives', 'UPDATE message_archives SET messages = without_lines_of(messages, $1)
      WHERE messages::text ~ $2',
    'action_pages', 'DELETE FROM action_pages WHERE action_id IN (
      SELECT a.id FROM actions a JOIN tickets t ON t.id = a.target_id
      WHERE a.operation = ''tickets.close'' AND t.opened_by = $1)',
    'action_pages', 'UPDATE action_pages SET messages = without_lines_of(messages, $1) WHERE messages::text ~ $2'];
  place record;
  counts jsonb := '{}';
  count bigint;
BEGIN
  IF p_user_id !~ '^\d{17,20}$' THEN
    RAISE EXCEPTION 'A person''s id has 17 to 20 digits.' USING ERRCODE = 'BF005';
  END IF;
  -- Two of these, or this and a guild's (forget_guild), come to the same rows in different orders. What refuses it is looked
  -- for after that wait.
  PERFORM pg_advisory_xact_lock(hashtextextended('forgetting', 0));
  IF EXISTS (SELECT FROM guilds WHERE owner_id = p_user_id AND left_at IS NULL) THEN
    RAISE EXCEPTION 'This person owns a guild that the bot is in. Remove the bot there, or let the guild change hands.'
      USING ERRCODE = 'BF005';
  END IF;
  -- Where the bot is not any more, nobody ends what stands, whether or not the person is forgotten.
  IF EXISTS (SELECT FROM cases WHERE user_id = p_user_id AND ended_at IS NULL AND expires_at IS NOT NULL
             AND kind::text IN ('ban', 'softban', 'mute') AND (kind <> 'mute' OR expires_at > clock_timestamp())
             AND case_is_enforced(id, import_id)
             AND guild_id IN (SELECT g.id FROM guilds g WHERE g.left_at IS NULL)) THEN
    RAISE EXCEPTION 'A temporary ban or mute of this person is in force, which nobody would end. Lift it first.'
      USING ERRCODE = 'BF005';
  END IF;
  IF EXISTS (SELECT FROM measures WHERE subject_id LIKE p_user_id || ':%'
             AND guild_id IN (SELECT g.id FROM guilds g WHERE g.left_at IS NULL)) THEN
    RAISE EXCEPTION 'This person has a role for a while, which nobody would take back. End that first.'
      USING ERRCODE = 'BF005';
  END IF;
  -- What is to be done is compared with what was asked: it must not be changed meanwhile.
  IF EXISTS (SELECT FROM actions WHERE state IN ('pending', 'running')
             AND (target_id = p_user_id OR input::text ~ whole_id
               OR input ? 'reason' AND target_id IN (SELECT id FROM tickets WHERE opened_by = p_user_id))) THEN
    RAISE EXCEPTION 'An action about this person is being done. Try again in a minute.' USING ERRCODE = 'BF005';
  END IF;
  PERFORM set_config('bailiff.forgetting', 'yes', true);
  -- Whoever opens a conversation with them at this moment keeps its channel before, or not at all.
  PERFORM pg_advisory_xact_lock(hashtextextended('direct channel:' || p_user_id, 0));

  -- A transcript or an archive may yet be made of what an action has read. Whoever makes one locks these rows before, in
  -- this order: what is made already is found below, and who comes now gets what is left when this is over.
  PERFORM FROM action_pages WHERE messages::text ~ whole_id OR action_id IN (
    SELECT a.id FROM actions a JOIN tickets t ON t.id = a.target_id
    WHERE a.operation = 'tickets.close' AND t.opened_by = p_user_id)
  ORDER BY action_id, page FOR UPDATE OF action_pages;
  -- Whoever handles one of these records meanwhile is waited for: the answer that it gets is found below. An import, or
  -- its undo, and a call that was approved lock what is theirs before the record. Whoever ends a case locks it before the
  -- appeal against it, and before the names of the person, if it opens another one. Other imports of the guild go on: this
  -- can take minutes. Neither do those wait that add parts to a ticket of one that is locked here.
  PERFORM FROM imports WHERE page::text ~ whole_id OR begun_by = p_user_id OR id IN (
    SELECT import_id FROM imported_rows WHERE record_id IN (
      SELECT id FROM cases WHERE user_id = p_user_id UNION SELECT id FROM notes WHERE user_id = p_user_id
      UNION SELECT id FROM tickets WHERE opened_by = p_user_id
      UNION SELECT id FROM identities WHERE user_id = p_user_id))
  ORDER BY id FOR NO KEY UPDATE;
  PERFORM FROM approval_requests WHERE target_id = p_user_id OR target_id IN (
    SELECT id FROM cases WHERE user_id = p_user_id UNION SELECT id FROM appeals WHERE user_id = p_user_id
    UNION SELECT id FROM reports WHERE user_id = p_user_id OR reported_by = p_user_id)
  ORDER BY id FOR UPDATE;
  PERFORM FROM cases WHERE user_id = p_user_id ORDER BY id FOR UPDATE;
  records := ARRAY(SELECT id FROM tickets WHERE opened_by = p_user_id ORDER BY id FOR UPDATE)
    || ARRAY(SELECT id FROM appeals WHERE user_id = p_user_id ORDER BY id FOR UPDATE)
    || ARRAY(SELECT id FROM reports WHERE user_id = p_user_id OR reported_by = p_user_id ORDER BY id FOR UPDATE);
  digests := ARRAY(
    SELECT digest FROM (
      SELECT digest, target_id, input->>'user_id' AS user_id FROM actions
      UNION ALL SELECT digest, target_id, input->>'user_id' FROM approval_requests
      UNION ALL SELECT digest, target_id, NULL FROM audit) AS calls
    WHERE digest <> '' AND (p_user_id IN (target_id, user_id) OR target_id = ANY (records)
      OR target_id IN (SELECT id FROM cases WHERE user_id = p_user_id)));
  -- Whoever gives a game server another address locks it before the list of who is online (forget_players).
  PERFORM FROM game_servers WHERE created_by = p_user_id ORDER BY id FOR NO KEY UPDATE;

  FOR n IN 1..cardinality(steps) BY 2 LOOP
    EXECUTE steps[n + 1] USING p_user_id, whole_id, records, digests;
    GET DIAGNOSTICS count = ROW_COUNT;
    counts := counts || jsonb_build_object(steps[n], coalesce((counts->>steps[n])::bigint, 0) + count);
  END LOOP;
  FOR place IN
    SELECT t.relname AS "table", a.attname AS "column", format_type(a.atttypid, NULL) AS type
    FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid
    WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
      AND a.attnum > 0 AND NOT a.attisdropped
      AND a.atttypid IN ('text'::regtype, 'text[]'::regtype, 'varchar'::regtype, 'json'::regtype, 'jsonb'::regtype)
    ORDER BY t.relname, a.attnum
  LOOP
    EXECUTE format('UPDATE %1$I SET %2$I = regexp_replace(%2$I::text, $2, $3, ''g'')::%3$s
      WHERE position($1 IN %2$I::text) > 0 AND %2$I::text ~ $2', place."table", place."column", place.type)
      USING p_user_id, whole_id, pseudonym;
    GET DIAGNOSTICS count = ROW_COUNT;
    counts := counts || jsonb_build_object(place."table", coalesce((counts->>place."table")::bigint, 0) + count);
  END LOOP;

  INSERT INTO audit (guild_id, actor_source, operation, target_type, target_id, outcome)
  SELECT guild_id, 'operator', 'people.forget', 'user', pseudonym, 'performed' FROM (
    SELECT guild_id FROM audit WHERE pseudonym IN (actor_user_id, target_id)
    UNION SELECT guild_id FROM cases WHERE pseudonym IN (user_id, issued_by, ended_by)
    UNION SELECT guild_id FROM tickets WHERE pseudonym IN (opened_by, claimed_by, assigned_by, closed_by, reopened_by,
      close_asked_by)) AS concerned;
  PERFORM set_config('bailiff.forgetting', '', true);
  counts := (SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(counts) WHERE value <> '0');
  IF counts <> '{}' THEN
    INSERT INTO forgettings (kind, mark, counts)
    VALUES ('person', signature_of('forgotten person ' || p_user_id), counts);
  END IF;
  RETURN counts;
END
$$;
