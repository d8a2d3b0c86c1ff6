-- A trigger for cases that the web process opens or ends: they are strikes and warnings, which take effect in the
-- database, each by an action that was admitted in this transaction. Cases of other kinds say what happened in Discord.
-- The bot alone writes those, because it acts on them: it lifts a ban whose time is over on record.
--
-- The action must be a call of whoever acts now, and of whom the case names. One transaction can admit several calls:
-- a token's strike could otherwise be on record as that of a person, by the call of anybody who has a session.
CREATE OR REPLACE FUNCTION require_admitted_case() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.kind::text NOT IN ('strike', 'warning') OR NOT EXISTS (
      SELECT FROM actions a JOIN acting() AS hand ON hand.source = a.actor_source::text AND hand.user_id = a.actor_user_id
      WHERE a.id = CASE TG_OP WHEN 'INSERT' THEN NEW.action_id ELSE NEW.end_action_id END
        AND a.actor_user_id = CASE TG_OP WHEN 'INSERT' THEN NEW.issued_by ELSE NEW.ended_by END
        AND a.guild_id = NEW.guild_id AND (TG_OP <> 'INSERT' OR a.actor_source = NEW.source)
        AND a.xmin = pg_current_xact_id()::xid) THEN
    RAISE EXCEPTION 'The web process opens and ends strikes and warnings only, by a call that was admitted.'
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END
$$;
