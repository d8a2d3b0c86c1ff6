-- A trigger for cases that the web process opens or ends: they are strikes and warnings, which take effect in the
-- database, each by an action that was admitted in this transaction. Cases of other kinds say what happened in Discord.
-- The bot alone writes those, because it acts on them: it lifts a ban whose time is over on record.
CREATE OR REPLACE FUNCTION require_admitted_case() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.kind::text NOT IN ('strike', 'warning') OR NOT EXISTS (SELECT FROM actions
      WHERE id = CASE TG_OP WHEN 'INSERT' THEN NEW.action_id ELSE NEW.end_action_id END
        AND guild_id = NEW.guild_id AND (TG_OP <> 'INSERT' OR actor_source = NEW.source) AND xmin = pg_current_xact_id()::xid) THEN
    RAISE EXCEPTION 'The web process opens and ends strikes and warnings only, by a call that was admitted.'
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END
$$;
