CREATE CONSTRAINT TRIGGER server_hand AFTER INSERT OR UPDATE OR DELETE ON game_servers DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_hand('owner', 'guild_id', 'created_by');

CREATE CONSTRAINT TRIGGER server_removed AFTER DELETE ON game_servers DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_fresh_sign_in();
