CREATE TRIGGER revocation_told AFTER UPDATE ON tokens
  FOR EACH ROW WHEN (OLD.revoked_at IS DISTINCT FROM NEW.revoked_at) EXECUTE FUNCTION tell_of_consent('id');

CREATE CONSTRAINT TRIGGER token_hand AFTER INSERT OR UPDATE OR DELETE ON tokens DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_hand('owner', 'guild_id', 'issuer_id');

CREATE CONSTRAINT TRIGGER token_minted AFTER INSERT ON tokens DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_fresh_sign_in();

CREATE CONSTRAINT TRIGGER token_made_useful AFTER UPDATE ON tokens DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user) AND (
    NEW.secret_hash <> OLD.secret_hash OR NEW.capabilities <> OLD.capabilities OR NEW.issuer_id <> OLD.issuer_id
    OR NEW.previous_secret_hash IS NOT NULL AND NEW.previous_secret_hash IS DISTINCT FROM OLD.previous_secret_hash
    OR NEW.revoked_at IS NULL AND OLD.revoked_at IS NOT NULL
    OR coalesce(NEW.expires_at, 'infinity') > coalesce(OLD.expires_at, 'infinity')
    OR allowlist_is_wider(OLD.ip_allowlist, NEW.ip_allowlist)
    OR NEW.previous_secret_expires_at > coalesce(OLD.previous_secret_expires_at, '-infinity')
  )) EXECUTE FUNCTION require_fresh_sign_in();
