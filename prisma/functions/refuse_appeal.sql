-- Refuses an appeal that waits for a decision, for whoever acts. p_reply is what its person reads; null: nothing.
CREATE OR REPLACE FUNCTION refuse_appeal(p_appeal_id text, p_reply text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE appeals SET state = 'refused', decided_by = require_acting(guild_id, 'appeals.write'),
    decided_at = clock_timestamp(), reply = p_reply
  WHERE id = p_appeal_id AND state IN ('sent', 'in_review');
END
$$;
