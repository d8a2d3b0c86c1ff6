CREATE TRIGGER appeal_settings_told AFTER INSERT OR UPDATE ON appeal_settings
  FOR EACH ROW EXECUTE FUNCTION tell_of_change('settings');

CREATE CONSTRAINT TRIGGER appeal_settings_hand AFTER INSERT OR UPDATE OR DELETE ON appeal_settings
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_hand('owner', 'guild_id');

-- Whoever reads the channel reads of every appeal from then on.
CREATE CONSTRAINT TRIGGER appeal_channel_set AFTER INSERT ON appeal_settings DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user) AND NEW.channel_id IS NOT NULL) EXECUTE FUNCTION require_fresh_sign_in();

CREATE CONSTRAINT TRIGGER appeal_channel_changed AFTER UPDATE ON appeal_settings DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user) AND NEW.channel_id <> coalesce(OLD.channel_id, ''))
  EXECUTE FUNCTION require_fresh_sign_in();
