-- Notes that the person of a dashboard session acts in this transaction, and returns their id. p_proof is the SHA-256 of
-- the cookie in hexadecimal. The database has only the SHA-256 of that, so a process that reads it can name no session
-- whose cookie it has not seen.
--
-- Raises BF002 if there is no such session, BF003 if the bot has not yet heard from Discord whose it is.
CREATE OR REPLACE FUNCTION act_in_session(p_proof text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  session sessions;
BEGIN
  SELECT * INTO session FROM sessions
  WHERE token_hash = sha256(decode(p_proof, 'hex')) AND expires_at > clock_timestamp();
  IF session.user_id IS NULL THEN
    RAISE EXCEPTION 'The session has ended.' USING ERRCODE = 'BF002';
  END IF;
  IF session.confirmed_at IS NULL THEN
    RAISE EXCEPTION 'The session is not confirmed.' USING ERRCODE = 'BF003';
  END IF;
  PERFORM act('dashboard', session.user_id, NULL, sign_in_is_fresh(session.signed_in_at));
  RETURN session.user_id;
END
$$;
