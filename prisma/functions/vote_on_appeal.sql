-- Notes what whoever acts thinks of an appeal that waits for a decision, in place of what they thought before. From the
-- first vote on it is in review.
CREATE OR REPLACE FUNCTION vote_on_appeal(p_appeal_id text, p_is_for boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  guild text;
BEGIN
  UPDATE appeals SET state = 'in_review' WHERE id = p_appeal_id AND state IN ('sent', 'in_review')
  RETURNING guild_id INTO guild;
  INSERT INTO appeal_votes (appeal_id, user_id, is_for)
  VALUES (p_appeal_id, require_acting(guild, 'appeals.write'), p_is_for)
  ON CONFLICT (appeal_id, user_id) DO UPDATE SET is_for = EXCLUDED.is_for, voted_at = EXCLUDED.voted_at;
END
$$;
