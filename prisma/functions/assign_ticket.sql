-- Hands a ticket to somebody who may work on it, for whoever acts. A claimed one only its claimer and the guild's owner
-- hand over, or anybody if the claimer may not work on it any more. A function, because the web process may claim a ticket
-- for nobody else. Raises an error if the caller did not look whether it may.
CREATE OR REPLACE FUNCTION assign_ticket(p_ticket_id text, p_user_id text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  ticket tickets;
  by_whom text;
BEGIN
  SELECT * INTO ticket FROM tickets WHERE id = p_ticket_id FOR UPDATE;
  by_whom := require_acting(ticket.guild_id, 'tickets.write');
  IF ticket.status = 'closed' OR NOT handles_tickets(ticket.guild_id, p_user_id)
      OR ticket.status = 'claimed' AND ticket.claimed_by <> by_whom
        AND NOT EXISTS (SELECT FROM guilds WHERE id = ticket.guild_id AND owner_id = by_whom)
        AND handles_tickets(ticket.guild_id, ticket.claimed_by) THEN
    RAISE EXCEPTION 'This ticket is not assigned to this person.' USING ERRCODE = 'insufficient_privilege';
  END IF;
  UPDATE tickets SET status = 'claimed', claimed_by = p_user_id, claimed_at = clock_timestamp(), assigned_by = by_whom
  WHERE id = p_ticket_id;
END
$$;
