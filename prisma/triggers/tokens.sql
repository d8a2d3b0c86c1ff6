CREATE CONSTRAINT TRIGGER token_hand AFTER INSERT OR UPDATE OR DELETE ON tokens DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_hand('owner', 'guild_id', 'issuer_id');
