-- A trigger before a device code is authorized, and before one that is becomes another: the owner of its guild must
-- act in this transaction already, after a sign-in of the last hour. It does not wait for the end of the transaction, as
-- require_hand does. Whoever holds an authorized code acts as that owner (act_by_device_code), so a code would otherwise
-- stand for itself.
CREATE OR REPLACE FUNCTION require_consent() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  hand record;
BEGIN
  -- A token is fetched with the code, without a session: then nothing but the state changes.
  IF TG_OP = 'UPDATE' AND OLD.state IN ('authorized', NEW.state)
      AND ROW(OLD.device_code_hash, OLD.expires_at, OLD.decided_by, OLD.guild_id, OLD.capabilities, OLD.lifetime)
        IS NOT DISTINCT FROM
        ROW(NEW.device_code_hash, NEW.expires_at, NEW.decided_by, NEW.guild_id, NEW.capabilities, NEW.lifetime)
      AND OLD.ip_allowlist = NEW.ip_allowlist THEN
    RETURN NEW;
  END IF;
  SELECT * INTO hand FROM acting();
  IF (hand.source = 'dashboard' AND hand.signed_in_freshly AND hand.user_id = NEW.decided_by
      AND NEW.expires_at < clock_timestamp() + interval '1 hour'
      AND EXISTS (SELECT FROM guilds WHERE id = NEW.guild_id AND owner_id = hand.user_id)) IS NOT TRUE THEN
    RAISE EXCEPTION 'Only the owner of a guild authorizes a device, after a sign-in of the last hour.'
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END
$$;
