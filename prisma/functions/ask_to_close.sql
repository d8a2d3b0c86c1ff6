-- Asks the opener of a ticket whether it is solved, for whoever acts in chat or in the dashboard. The ticket closes by
-- itself after the hours of its category. A function, because the bot closes what is due: the web process sets no time.
-- Asking again changes nothing, but if the question could not be posted, that is tried again at once.
CREATE OR REPLACE FUNCTION ask_to_close(p_ticket_id text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  by_whom text := require_acting((SELECT guild_id FROM tickets WHERE id = p_ticket_id), 'tickets.write');
BEGIN
  IF (SELECT source FROM acting()) = 'token' THEN
    RAISE EXCEPTION 'A token closes no tickets.' USING ERRCODE = 'insufficient_privilege';
  END IF;
  UPDATE tickets t SET close_asked_at = clock_timestamp(), close_asked_by = by_whom,
    closes_at = clock_timestamp() + make_interval(hours => coalesce(
      (SELECT (c->>'close_after_hours')::int FROM ticket_settings s, jsonb_array_elements(s.categories) AS c
       WHERE s.guild_id = t.guild_id AND c->>'name' = t.category LIMIT 1), 48))
  WHERE id = p_ticket_id AND status <> 'closed' AND close_asked_at IS NULL;
  IF NOT FOUND THEN
    PERFORM graphile_worker.add_job('ask_opener', json_build_object('ticket_id', p_ticket_id), job_key => key,
      max_attempts => 10)
    FROM graphile_worker.jobs WHERE key = 'ask_opener:' || p_ticket_id AND attempts > 0 AND locked_at IS NULL;
  END IF;
END
$$;
