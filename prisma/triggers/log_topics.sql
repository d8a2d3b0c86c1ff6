CREATE TRIGGER log_topic_followed BEFORE INSERT OR UPDATE OF channel_id ON log_topics
  FOR EACH ROW EXECUTE FUNCTION follow_log_topic();

CREATE TRIGGER log_topic_told AFTER INSERT OR UPDATE OR DELETE ON log_topics
  FOR EACH ROW EXECUTE FUNCTION tell_of_change('settings');

-- Whoever reads the channel reads of every case of the topic from then on.
CREATE CONSTRAINT TRIGGER log_topic_channel AFTER INSERT OR UPDATE OF channel_id ON log_topics
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_fresh_sign_in();

CREATE CONSTRAINT TRIGGER log_topic_hand AFTER INSERT OR UPDATE OR DELETE ON log_topics
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_hand('owner', 'guild_id');
