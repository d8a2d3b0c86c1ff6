CREATE CONSTRAINT TRIGGER server_hand AFTER INSERT OR UPDATE OR DELETE ON game_servers DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_hand('owner', 'guild_id', 'created_by');

CREATE CONSTRAINT TRIGGER server_removed AFTER DELETE ON game_servers DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_fresh_sign_in();

-- A wider policy, or another command with each kick or ban, gives power to all who may act on the server.
CREATE CONSTRAINT TRIGGER server_commands AFTER UPDATE ON game_servers DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)
    AND (OLD.allow_patterns, OLD.deny_patterns,
        OLD.kick_template, OLD.ban_template, OLD.unban_template, OLD.announce_template)
      IS DISTINCT FROM
      (NEW.allow_patterns, NEW.deny_patterns,
        NEW.kick_template, NEW.ban_template, NEW.unban_template, NEW.announce_template))
  EXECUTE FUNCTION require_fresh_sign_in();

-- Each password that is entered is sealed anew, also for a new address.
CREATE TRIGGER server_moved AFTER UPDATE ON game_servers
  FOR EACH ROW WHEN (OLD.password_sealed <> NEW.password_sealed) EXECUTE FUNCTION forget_players();
