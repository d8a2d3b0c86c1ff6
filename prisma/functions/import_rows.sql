-- after: functions/imported_before
-- Brings rows of an import into the guild's records, each once (decisions: Imports). Returns what became of each: `new`,
-- with the number of its case; `known` if it came before; `duplicate` if the same rows have it twice; `full` if the guild
-- has p_most imported rows, or as many bytes of them as it may, or an identity's person or guild as many identities;
-- `refused` if it is a part of a transcript and its ticket did not come, or was opened again since.
--
-- p has what `importing` wants, and rows: objects with place, type, external_id, and the columns of a case, where a note
-- has its text as reason and a ticket its opener as user_id. An end ends the cases of that kind and person from the same
-- source. What else an archive knows of a case, and parts of transcripts, are in `more` (import_more). A case or ticket
-- keeps the number that it had there, if the guild has not come to that number yet.
CREATE OR REPLACE FUNCTION import_rows(p jsonb, p_most int, p_most_bytes bigint)
RETURNS TABLE (place int, fate text, number int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  import imports := importing(p);
  -- The rows that did not come before.
  coming jsonb;
  fresh jsonb;
  parts jsonb;
  ending record;
  last_case int;
  last_ticket int;
  bytes bigint;
  -- The bounds of identities (packages/engine/src/servers/identities.ts).
  most_of_person CONSTANT int := 10;
  most_of_guild CONSTANT int := 50000;
  beyond text[];
BEGIN
  -- Discord is asked for the names of these people after those of everybody else (meet_people).
  PERFORM set_config('bailiff.importing', 'yes', true);
  IF EXISTS (SELECT FROM jsonb_array_elements(p->'rows') AS r WHERE r->>'type' = 'identity') THEN
    -- As whoever adds one by hand does, so that nobody gets the same one meanwhile.
    PERFORM pg_advisory_xact_lock(hashtextextended('identities:' || import.guild_id, 0));
  END IF;
  -- What came before uses up nothing when its file is sent again.
  SELECT coalesce(jsonb_agg(r), '[]'), sum(octet_length(r::text)) INTO coming, bytes
  FROM jsonb_array_elements(p->'rows') AS r
  WHERE NOT imported_before(import.guild_id, import.source, r->>'external_id');
  IF (SELECT sum(brought) + jsonb_array_length(coming) > p_most OR sum(brought_bytes) + bytes > p_most_bytes
      FROM imports WHERE guild_id = import.guild_id AND undone_at IS NULL) THEN
    RETURN QUERY
    SELECT (r->>'place')::int,
      CASE WHEN imported_before(import.guild_id, import.source, r->>'external_id') THEN 'known' ELSE 'full' END, NULL::int
    FROM jsonb_array_elements(p->'rows') AS r;
    RETURN;
  END IF;

  IF EXISTS (SELECT FROM jsonb_array_elements(coming) AS r WHERE r->>'type' = 'identity') THEN
    SELECT array_agg(external_id) INTO beyond FROM (
      SELECT r->>'external_id' AS external_id,
        row_number() OVER (ORDER BY (r->>'place')::int)
          + (SELECT count(*) FROM identities WHERE guild_id = import.guild_id) > most_of_guild
        OR row_number() OVER (PARTITION BY r->>'user_id' ORDER BY (r->>'place')::int)
          + (SELECT count(*) FROM identities WHERE guild_id = import.guild_id AND user_id = r->>'user_id')
          > most_of_person AS is_beyond
      FROM jsonb_array_elements(coming) AS r
      WHERE r->>'type' = 'identity') AS fitting
    WHERE is_beyond;
  END IF;

  WITH came AS (
    INSERT INTO imported_rows (guild_id, source, external_id, import_id, record_id)
    SELECT import.guild_id, import.source, r->>'external_id', import.id,
      -- Those of one moment keep the order of the file, which comes in several steps.
      CASE WHEN r->>'type' <> 'end' THEN id_at(r->>'id_prefix', (r->>'issued_at')::timestamptz,
        import.brought + (row_number() OVER (ORDER BY (r->>'place')::int))::int) END
    FROM jsonb_array_elements(coming) AS r WHERE r->>'type' <> 'messages'
      AND r->>'external_id' <> ALL (coalesce(beyond, '{}'))
    ON CONFLICT DO NOTHING RETURNING external_id, record_id)
  SELECT coalesce(jsonb_agg(row ORDER BY (row->>'place')::int), '[]') INTO fresh FROM (
    SELECT DISTINCT ON (external_id) r || jsonb_build_object('id', record_id) AS row
    FROM came JOIN jsonb_array_elements(coming) AS r ON r->>'external_id' = external_id
    ORDER BY external_id, (r->>'place')::int) AS firsts;

  -- Whoever replaces a ban or mute locks its case, then the guild's counter, and then the names of the person. Whoever
  -- forgets a person locks their cases, then their tickets, and then their names. So what this ends, links or adds parts
  -- to is locked first.
  PERFORM FROM cases WHERE guild_id = import.guild_id AND id = ANY (ARRAY(
    SELECT id FROM cases WHERE guild_id = import.guild_id AND ended_at IS NULL AND import_id IS NOT NULL
      AND user_id = ANY (ARRAY(SELECT r->>'user_id' FROM jsonb_array_elements(fresh) AS r WHERE r->>'type' = 'end'))
    UNION SELECT coalesce((SELECT record_id FROM imported_rows WHERE guild_id = import.guild_id
      AND source = import.source AND external_id = l->>'id'), l->>'id')
    FROM jsonb_array_elements(fresh) AS r, jsonb_array_elements(r->'more'->'links') AS l))
  ORDER BY id FOR NO KEY UPDATE;
  PERFORM FROM tickets WHERE id = ANY (ARRAY(
    SELECT record_id FROM imported_rows WHERE guild_id = import.guild_id AND source = import.source AND external_id = ANY (
      ARRAY(SELECT r->'more'->>'ticket_id' FROM jsonb_array_elements(coming) AS r WHERE r->>'type' = 'messages'))))
  ORDER BY id FOR NO KEY UPDATE;
  INSERT INTO guild_counters (guild_id) VALUES (import.guild_id) ON CONFLICT DO NOTHING;
  SELECT next_case_number - 1, next_ticket_number - 1 INTO last_case, last_ticket
  FROM guild_counters WHERE guild_id = import.guild_id FOR UPDATE;

  -- The triggers of each kind of record would meet its people after those of the kind before.
  PERFORM meet_people(import.guild_id,
    ARRAY(SELECT r->>'user_id' FROM jsonb_array_elements(fresh) AS r WHERE r->>'type' <> 'end'));

  INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by, issued_at, duration_minutes, expires_at,
                     ended_by, ended_at, end_reason, severity, category, player_name, in_game_id, import_id)
  SELECT id, import.guild_id, nth + max(greatest(last_case, (more->>'number')::int - nth)) OVER (ORDER BY place),
    kind, user_id, reason, issued_by, issued_at, (extract(epoch FROM expires_at - issued_at) / 60)::int, expires_at,
    ended_by, ended_at, end_reason, severity, category, player_name, in_game_id, import.id
  FROM (SELECT *, row_number() OVER (ORDER BY place)::int AS nth
  FROM jsonb_to_recordset(fresh) AS r (
    place int, type text, id text, kind "CaseKind", user_id text, reason text, issued_by text, issued_at timestamptz,
    expires_at timestamptz, ended_by text, ended_at timestamptz, end_reason text, severity "StrikeSeverity",
    category text, player_name text, in_game_id text, more jsonb)
    WHERE type = 'case') AS ones;

  INSERT INTO tickets (id, guild_id, number, subject, status, opened_by, opened_at, claimed_by, claimed_at, closed_by,
                       closed_at, close_reason, category, answers, is_cut)
  SELECT id, import.guild_id, nth + max(greatest(last_ticket, (more->>'number')::int - nth)) OVER (ORDER BY place),
    more->>'subject', 'closed', user_id, issued_at, more->>'claimed_by', (more->>'claimed_at')::timestamptz, ended_by,
    ended_at, end_reason, category, coalesce(more->'answers', '[]'), coalesce((more->>'is_cut')::boolean, false)
  FROM (SELECT *, row_number() OVER (ORDER BY place)::int AS nth
    FROM jsonb_to_recordset(fresh) AS r (
      place int, type text, id text, user_id text, issued_at timestamptz, ended_by text, ended_at timestamptz,
      end_reason text, category text, more jsonb)
    WHERE type = 'ticket') AS ones;

  UPDATE guild_counters SET
    next_case_number = greatest(next_case_number, 1 + (SELECT max(case_number) FROM cases
      WHERE id IN (SELECT r->>'id' FROM jsonb_array_elements(fresh) AS r))),
    next_ticket_number = greatest(next_ticket_number, 1 + (SELECT max(t.number) FROM tickets t
      WHERE t.id IN (SELECT r->>'id' FROM jsonb_array_elements(fresh) AS r)))
  WHERE guild_id = import.guild_id;

  INSERT INTO notes (id, guild_id, user_id, text, written_by, written_at)
  SELECT id, import.guild_id, user_id, reason, issued_by, issued_at
  FROM jsonb_to_recordset(fresh) AS r (
    type text, id text, user_id text, reason text, issued_by text, issued_at timestamptz)
  WHERE type = 'note';

  INSERT INTO identities (id, guild_id, user_id, platform, in_game_id, key, set_by, set_at)
  SELECT id, import.guild_id, user_id, (more->>'platform')::"GamePlatform", in_game_id, more->>'key', issued_by, issued_at
  FROM jsonb_to_recordset(fresh) AS r (
    place int, type text, id text, user_id text, in_game_id text, issued_by text, issued_at timestamptz, more jsonb)
  WHERE type = 'identity' ORDER BY place;

  FOR ending IN
    SELECT * FROM jsonb_to_recordset(fresh) AS r (
      type text, external_id text, kind "CaseKind", user_id text, reason text, issued_by text, issued_at timestamptz)
    WHERE type = 'end'
  LOOP
    WITH ended AS (
      UPDATE cases SET ended_at = ending.issued_at, ended_by = ending.issued_by, end_reason = ending.reason
      WHERE guild_id = import.guild_id AND user_id = ending.user_id AND kind = ending.kind AND ended_at IS NULL
        AND (expires_at IS NULL OR expires_at > ending.issued_at
          -- A mute without an end is recorded as over. Of those only the latest can be meant.
          OR kind = 'mute' AND expires_at = issued_at AND id = (
            SELECT max(latest.id) FROM cases latest
            WHERE latest.guild_id = import.guild_id AND latest.user_id = ending.user_id AND latest.kind = 'mute'
              AND latest.issued_at <= ending.issued_at AND latest.import_id IN (
                SELECT id FROM imports WHERE guild_id = import.guild_id AND source = import.source)))
        AND issued_at <= ending.issued_at
        AND import_id IN (SELECT id FROM imports WHERE guild_id = import.guild_id AND source = import.source)
      RETURNING id)
    -- For the undo. It is no id, so an end is never taken for the record that it ended. An index holds no more than some
    -- 70 ids in a row, so what else it ended has rows of its own.
    INSERT INTO imported_rows (guild_id, source, external_id, import_id, record_id)
    SELECT import.guild_id, import.source, CASE part WHEN 0 THEN ending.external_id ELSE 'ended:' || min(id) END,
      import.id, 'ended ' || string_agg(id, ' ')
    FROM (SELECT id, (row_number() OVER (ORDER BY id) - 1) / 50 AS part FROM ended) AS in_parts GROUP BY part
    ON CONFLICT (guild_id, source, external_id) DO UPDATE SET record_id = EXCLUDED.record_id;
  END LOOP;

  -- A part belongs to the import of its ticket, which may be an earlier one: it stays and goes with it.
  WITH came AS (
    INSERT INTO imported_rows (guild_id, source, external_id, import_id, record_id)
    SELECT import.guild_id, import.source, r->>'external_id', t.import_id, k.id
    FROM jsonb_array_elements(coming) AS r
      JOIN imported_rows t ON t.guild_id = import.guild_id AND t.source = import.source
        AND t.external_id = r->'more'->>'ticket_id'
      JOIN tickets k ON k.id = t.record_id AND k.status = 'closed' AND k.reopened_at IS NULL
    WHERE r->>'type' = 'messages'
    FOR NO KEY UPDATE OF k
    ON CONFLICT DO NOTHING RETURNING external_id, record_id)
  SELECT coalesce(jsonb_agg(row), '[]') INTO parts FROM (
    SELECT DISTINCT ON (external_id) r || jsonb_build_object('id', record_id) AS row
    FROM came JOIN jsonb_array_elements(coming) AS r ON r->>'external_id' = external_id
    ORDER BY external_id, (r->>'place')::int) AS firsts;
  fresh := fresh || parts;

  PERFORM import_more(import, fresh);

  UPDATE imports SET brought = brought + jsonb_array_length(fresh), brought_bytes = brought_bytes + (
    SELECT coalesce(sum(octet_length((r - 'id')::text)), 0) FROM jsonb_array_elements(fresh) AS r)
  WHERE id = import.id;
  RETURN QUERY
  SELECT g.place, CASE WHEN f.place IS NOT NULL THEN 'new'
      WHEN g.external_id IN (SELECT r->>'external_id' FROM jsonb_array_elements(fresh) AS r) THEN 'duplicate'
      WHEN g.external_id = ANY (beyond) THEN 'full'
      WHEN g.type = 'messages' AND NOT imported_before(import.guild_id, import.source, g.external_id) THEN 'refused'
      ELSE 'known' END,
    (SELECT case_number FROM cases WHERE id = f.id)
  FROM jsonb_to_recordset(p->'rows') AS g (place int, type text, external_id text)
    LEFT JOIN jsonb_to_recordset(fresh) AS f (place int, id text) ON f.place = g.place
  ORDER BY g.place;
END
$$;
