-- The person who acts in this transaction, as a call that was admitted in this guild. Raises an error if nobody does, or
-- if they do not hold the capability there. For functions that write with the rights of the owner.
CREATE OR REPLACE FUNCTION require_acting(p_guild_id text, p_capability text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  hand record;
BEGIN
  SELECT * INTO hand FROM acting();
  IF hand.guild_id = p_guild_id AND (EXISTS (SELECT FROM guilds WHERE id = p_guild_id AND owner_id = hand.user_id)
      OR p_capability = ANY (ARRAY(SELECT unnest(capabilities) FROM granted_to(p_guild_id, hand.user_id)))) THEN
    RETURN hand.user_id;
  END IF;
  RAISE EXCEPTION 'Nobody acts who holds % in this guild.', p_capability USING ERRCODE = 'insufficient_privilege';
END
$$;
