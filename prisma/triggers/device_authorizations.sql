-- Only an owner's consent needs a hand: codes are asked for, polled and refused by clients that nobody knows yet.
CREATE TRIGGER device_consented BEFORE INSERT OR UPDATE ON device_authorizations
  FOR EACH ROW WHEN (NEW.state IN ('authorized', 'redeemed') AND is_web(current_user))
  EXECUTE FUNCTION require_consent();
