-- Has the bot read a page of a guild's bans at Discord into the import that its owner goes on with, and tell the caller
-- who waits. p has what `importing` wants, and after: the person whose ban comes before the page.
CREATE OR REPLACE FUNCTION ask_bans(p jsonb, p_request_id text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  import imports := importing(p);
BEGIN
  IF import.source <> 'discord' THEN
    RAISE EXCEPTION 'This import brings a file.' USING ERRCODE = 'insufficient_privilege';
  END IF;
  PERFORM ask_for_caller('list_bans',
    jsonb_build_object('guild_id', import.guild_id, 'import_id', import.id, 'after', p->>'after'), p_request_id);
END
$$;
