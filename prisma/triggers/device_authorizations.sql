-- Only an owner's consent needs a hand: codes are asked for, polled and refused by clients that nobody knows yet.
CREATE CONSTRAINT TRIGGER device_hand AFTER INSERT OR UPDATE ON device_authorizations DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.state = 'authorized' AND is_web(current_user))
  EXECUTE FUNCTION require_hand('owner', 'guild_id', 'decided_by');

CREATE CONSTRAINT TRIGGER device_authorized AFTER INSERT OR UPDATE OF state ON device_authorizations
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.state = 'authorized' AND is_web(current_user)) EXECUTE FUNCTION require_fresh_sign_in();
