-- Notes for the rest of this transaction who acts in it: for whom `acting` then answers. Only functions with the rights
-- of the owner may call it, after they have checked that. The note is signed, because anybody can write a setting.
--
-- p_signed_in_freshly says whether the person signed in within the last hour; false for calls without a session.
CREATE OR REPLACE FUNCTION act(p_source text, p_user_id text, p_guild_id text, p_signed_in_freshly boolean)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  note text := concat_ws(' ', pg_current_xact_id(), p_signed_in_freshly, p_source, p_user_id, p_guild_id);
BEGIN
  PERFORM set_config('bailiff.acting', note || ' ' || signature_of(note), true);
END
$$;
