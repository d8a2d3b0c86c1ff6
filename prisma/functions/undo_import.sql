-- Removes at most p_most of the cases, notes, identities and tickets that an import brought, and lets their rows come
-- again. A case with which somebody has done something since stays: one that was changed, linked, appealed, lifted or
-- removed, or to which a file or message was attached. So does a ticket that was noted on or opened again, and what an
-- action is about to change (rows_to_undo). What was brought with them is older than the import. A ticket goes with all
-- parts of its transcript, or stays with them. Cases of earlier imports that this one ended are open again, and the
-- appeals against them wait again. Returns how many rows were removed, and when none is left to remove, how many records
-- stay. p has what `importing` wants.
CREATE OR REPLACE FUNCTION undo_import(p jsonb, p_most int, OUT removed int, OUT kept int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  import imports := importing(p);
  chosen tid[];
  records text[];
  locked text[];
  rows_taken int;
  parts int;
BEGIN
  SELECT coalesce(array_agg(row_at), '{}'), array_agg(record_id) INTO chosen, records
  FROM (SELECT * FROM rows_to_undo(import.id, import.guild_id, import.begun_at) LIMIT p_most) AS first;
  -- What somebody is changing at this moment is left to the next step. Once the others are locked nobody changes them or
  -- begins what relies on them, and the next statement sees what was done or begun with them until then.
  locked := ARRAY(SELECT id FROM cases WHERE id = ANY (records) FOR UPDATE SKIP LOCKED)
    || ARRAY(SELECT id FROM tickets WHERE id = ANY (records) FOR UPDATE SKIP LOCKED);
  -- Whoever removes an identity comes to it before its imported row.
  PERFORM FROM identities WHERE id = ANY (records) ORDER BY id FOR UPDATE;
  WITH taken AS (
    DELETE FROM imported_rows WHERE ctid = ANY (ARRAY(
      SELECT row_at FROM rows_to_undo(import.id, import.guild_id, import.begun_at)
      WHERE row_at = ANY (chosen) AND (NOT is_case_or_ticket OR record_id = ANY (locked))))
    RETURNING record_id, external_id)
  SELECT array_agg(record_id) FILTER (WHERE record_id IS NOT NULL), count(*),
    -- The others say what more an end has ended.
    count(*) FILTER (WHERE external_id NOT LIKE 'ended:%')
  INTO records, rows_taken, removed FROM taken;
  DELETE FROM imported_rows WHERE record_id = ANY (records);
  GET DIAGNOSTICS parts = ROW_COUNT;
  removed := removed + parts;
  DELETE FROM cases WHERE id = ANY (records);
  -- Only a record, as its end was: no job follows.
  PERFORM set_config('bailiff.importing', 'yes', true);
  WITH reopened AS (
    UPDATE cases SET ended_at = NULL, ended_by = NULL, end_reason = NULL
    WHERE end_action_id IS NULL AND guild_id = import.guild_id AND import_id <> import.id
      AND id IN (SELECT unnest(string_to_array(substr(record, 7), ' '))
        FROM unnest(records) AS record WHERE record LIKE 'ended %')
    RETURNING id)
  UPDATE appeals SET decided_at = NULL, state = CASE
    WHEN EXISTS (SELECT FROM appeal_votes WHERE appeal_id = appeals.id) THEN 'in_review' ELSE 'sent' END::"AppealState"
  WHERE case_id IN (SELECT id FROM reopened) AND state = 'over' AND decided_at >= import.begun_at;
  DELETE FROM notes WHERE id = ANY (records);
  DELETE FROM tickets WHERE id = ANY (records);
  DELETE FROM identities WHERE id = ANY (records);
  -- Parts of transcripts that came with a later import were not counted here.
  UPDATE imports SET brought = greatest(brought - removed, 0) WHERE id = import.id;
  IF cardinality(chosen) < p_most AND rows_taken = cardinality(chosen) THEN
    SELECT count(DISTINCT record_id) INTO kept FROM imported_rows WHERE import_id = import.id;
    UPDATE imports SET undone_at = clock_timestamp(), page = NULL WHERE id = import.id;
  END IF;
  PERFORM tell('case', import.guild_id, '{}');
END
$$;
