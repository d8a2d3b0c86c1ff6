-- The rows of an import that its undo may take away (undo_import), each with the record that came of it. A record with
-- which somebody has done something since the import stays. So does one that an action under way is about to change,
-- such as a ban that gets another end: without its record that action could never be settled. is_case_or_ticket says
-- whose row is locked before it goes. A table function in SQL, so that the planner folds it into the query that asks.
CREATE OR REPLACE FUNCTION rows_to_undo(p_import_id text, p_guild_id text, p_begun_at timestamptz)
RETURNS TABLE (row_at tid, record_id text, external_id text, is_case_or_ticket boolean)
LANGUAGE sql STABLE AS $$
  SELECT i.ctid, i.record_id, i.external_id, c.id IS NOT NULL OR t.id IS NOT NULL
  FROM imported_rows i LEFT JOIN cases c ON c.id = i.record_id LEFT JOIN tickets t ON t.id = i.record_id
  WHERE i.import_id = p_import_id AND (c.id IS NULL OR c.end_action_id IS NULL
    AND NOT EXISTS (SELECT FROM case_changes WHERE case_id = c.id AND changed_at >= p_begun_at)
    AND NOT EXISTS (SELECT FROM case_links WHERE case_id = c.id AND linked_at >= p_begun_at)
    AND NOT EXISTS (SELECT FROM case_links WHERE other_id = c.id AND linked_at >= p_begun_at)
    AND NOT EXISTS (SELECT FROM evidence WHERE case_id = c.id AND attached_at >= p_begun_at)
    AND NOT EXISTS (SELECT FROM case_messages WHERE case_id = c.id AND attached_at >= p_begun_at)
    AND NOT EXISTS (SELECT FROM appeals WHERE case_id = c.id)
    AND NOT EXISTS (SELECT FROM discord_log_entries WHERE case_id = c.id))
    AND (t.id IS NULL OR t.status = 'closed' AND t.reopened_at IS NULL)
    AND NOT EXISTS (SELECT FROM ticket_notes WHERE ticket_id = i.record_id AND written_at >= p_begun_at)
    -- Nobody finds out any more how one ended that was looked at for the last time. Another end of a ban or mute, and
    -- its lifting, are about the person.
    AND NOT EXISTS (SELECT FROM actions
      WHERE guild_id = p_guild_id AND target_id IN (i.record_id, c.user_id)
        AND state IN ('pending', 'running', 'unknown') AND looked_at IS DISTINCT FROM 'infinity'
        AND (target_id = i.record_id OR operation IN (c.kind || 's.change', c.kind || 's.lift')))
$$;
