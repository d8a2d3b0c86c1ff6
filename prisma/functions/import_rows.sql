-- after: functions/imported_before
-- Brings rows of an import into the guild's records, each once (decisions: Imports). Returns what became of each: `new`,
-- with the number of its case; `known` if it came before; `duplicate` if the same rows have it twice; `full` if the guild
-- has p_most imported rows.
--
-- p has what `importing` wants, and rows: objects with place, type (case, note or end), external_id, and the columns of
-- a case, where a note has its text as reason. An end ends the cases of that kind and person from the same source.
CREATE OR REPLACE FUNCTION import_rows(p jsonb, p_most int)
RETURNS TABLE (place int, fate text, number int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  import imports := importing(p);
  fresh jsonb;
  ending record;
  first_number int;
BEGIN
  -- Discord is asked for the names of these people after those of everybody else (meet_person).
  PERFORM set_config('bailiff.importing', 'yes', true);
  IF (SELECT sum(brought) FROM imports WHERE guild_id = import.guild_id AND undone_at IS NULL)
      + jsonb_array_length(p->'rows') > p_most THEN
    RETURN QUERY SELECT (r->>'place')::int, 'full', NULL::int FROM jsonb_array_elements(p->'rows') AS r;
    RETURN;
  END IF;

  WITH came AS (
    INSERT INTO imported_rows (guild_id, source, external_id, import_id, record_id)
    SELECT import.guild_id, import.source, r->>'external_id', import.id,
      CASE WHEN r->>'type' <> 'end' THEN id_at(r->>'id_prefix', (r->>'issued_at')::timestamptz) END
    FROM jsonb_array_elements(p->'rows') AS r WHERE NOT imported_before(import.guild_id, import.source, r->>'external_id')
    ON CONFLICT DO NOTHING RETURNING external_id, record_id)
  SELECT coalesce(jsonb_agg(row ORDER BY (row->>'place')::int), '[]') INTO fresh FROM (
    SELECT DISTINCT ON (external_id) r || jsonb_build_object('id', record_id) AS row
    FROM came JOIN jsonb_array_elements(p->'rows') AS r ON r->>'external_id' = external_id
    ORDER BY external_id, (r->>'place')::int) AS firsts;

  INSERT INTO guild_counters AS counter (guild_id) VALUES (import.guild_id) ON CONFLICT DO NOTHING;
  UPDATE guild_counters SET next_case_number = next_case_number + (
    SELECT count(*) FROM jsonb_array_elements(fresh) AS r WHERE r->>'type' = 'case')
  WHERE guild_id = import.guild_id;
  SELECT next_case_number INTO first_number FROM guild_counters WHERE guild_id = import.guild_id;

  INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by, issued_at, duration_minutes, expires_at,
                     ended_by, ended_at, end_reason, severity, category, player_name, in_game_id, import_id)
  SELECT id, import.guild_id, first_number - row_number() OVER (ORDER BY place DESC), kind, user_id, reason,
    issued_by, issued_at, (extract(epoch FROM expires_at - issued_at) / 60)::int, expires_at, ended_by, ended_at,
    end_reason, severity, category, player_name, in_game_id, import.id
  FROM jsonb_to_recordset(fresh) AS r (
    place int, type text, id text, kind "CaseKind", user_id text, reason text, issued_by text, issued_at timestamptz,
    expires_at timestamptz, ended_by text, ended_at timestamptz, end_reason text, severity "StrikeSeverity",
    category text, player_name text, in_game_id text)
  WHERE type = 'case';

  INSERT INTO notes (id, guild_id, user_id, text, written_by, written_at)
  SELECT id, import.guild_id, user_id, reason, issued_by, issued_at
  FROM jsonb_to_recordset(fresh) AS r (
    type text, id text, user_id text, reason text, issued_by text, issued_at timestamptz)
  WHERE type = 'note';

  FOR ending IN
    SELECT * FROM jsonb_to_recordset(fresh) AS r (
      type text, kind "CaseKind", user_id text, reason text, issued_by text, issued_at timestamptz)
    WHERE type = 'end'
  LOOP
    UPDATE cases SET ended_at = ending.issued_at, ended_by = ending.issued_by, end_reason = ending.reason
    WHERE guild_id = import.guild_id AND user_id = ending.user_id AND kind = ending.kind AND ended_at IS NULL
      AND (expires_at IS NULL OR expires_at > ending.issued_at) AND issued_at <= ending.issued_at
      AND import_id IN (SELECT id FROM imports WHERE guild_id = import.guild_id AND source = import.source);
  END LOOP;

  UPDATE imports SET brought = brought + jsonb_array_length(fresh) WHERE id = import.id;
  RETURN QUERY
  SELECT g.place, CASE WHEN f.place IS NOT NULL THEN 'new'
      WHEN g.external_id IN (SELECT r->>'external_id' FROM jsonb_array_elements(fresh) AS r) THEN 'duplicate'
      ELSE 'known' END,
    (SELECT case_number FROM cases WHERE id = f.id)
  FROM jsonb_to_recordset(p->'rows') AS g (place int, external_id text)
    LEFT JOIN jsonb_to_recordset(fresh) AS f (place int, id text) ON f.place = g.place
  ORDER BY g.place;
END
$$;
