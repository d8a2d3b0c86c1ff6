-- after: functions/granted_to
-- Has the bot read what stands in the channel of a ticket that is not closed, before the message p_before or else the
-- newest, and tell it whoever waits for this request. For the person of the session that p_proof shows, if they may read
-- tickets there; the bot asks Discord whether it shows them the channel. Returns false if there is no such ticket.
CREATE OR REPLACE FUNCTION ask_conversation(
  p_proof text, p_guild_id text, p_ticket_id text, p_before text, p_request_id text
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  reader text := act_in_session(p_proof);
  channel text;
BEGIN
  SELECT t.channel_id INTO channel FROM tickets t JOIN guilds g ON g.id = t.guild_id
  WHERE t.id = p_ticket_id AND t.guild_id = p_guild_id AND t.status <> 'closed' AND g.left_at IS NULL
    AND (g.owner_id = reader
      OR 'tickets.read' = ANY (ARRAY(SELECT unnest(capabilities) FROM granted_to(g.id, reader))));
  IF channel IS NULL THEN
    RETURN false;
  END IF;
  PERFORM ask_for_caller('read_conversation', jsonb_build_object('guild_id', p_guild_id, 'channel_id', channel,
    'user_id', reader, 'before', p_before), p_request_id);
  RETURN true;
END
$$;
