-- Notifies listeners of changed settings and of whether the mirror is trusted, but not of what it holds, which changes
-- often.
CREATE TRIGGER guild_told AFTER UPDATE ON guilds
  FOR EACH ROW
  WHEN ((OLD.name, OLD.owner_id, OLD.tier, OLD.grants_confirmed_at, OLD.log_channel_id, OLD.reports_channel_id,
      OLD.language, OLD.notifies_targets, OLD.notice_words, OLD.notice_colour, OLD.public_answers, OLD.alerts_joins,
      OLD.alerts_quiet_days, OLD.hides_first_steps,
      OLD.log_channel_posted_at IS NULL, OLD.log_channel_problem, OLD.mirrored_at IS NULL,
      OLD.mirror_problem)
    IS DISTINCT FROM
    (NEW.name, NEW.owner_id, NEW.tier, NEW.grants_confirmed_at, NEW.log_channel_id, NEW.reports_channel_id,
      NEW.language, NEW.notifies_targets, NEW.notice_words, NEW.notice_colour, NEW.public_answers, NEW.alerts_joins,
      NEW.alerts_quiet_days, NEW.hides_first_steps,
      NEW.log_channel_posted_at IS NULL, NEW.log_channel_problem, NEW.mirrored_at IS NULL,
      NEW.mirror_problem))
  EXECUTE FUNCTION tell_of_guild();

CREATE TRIGGER log_channel_followed BEFORE UPDATE OF log_channel_id ON guilds
  FOR EACH ROW WHEN (OLD.log_channel_id IS DISTINCT FROM NEW.log_channel_id) EXECUTE FUNCTION follow_log_channel();

CREATE TRIGGER new_owner_followed AFTER UPDATE OF owner_id ON guilds
  FOR EACH ROW WHEN (OLD.owner_id IS DISTINCT FROM NEW.owner_id) EXECUTE FUNCTION follow_new_owner();

CREATE CONSTRAINT TRIGGER guild_hand AFTER INSERT OR UPDATE OR DELETE ON guilds DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_hand('owner', 'id');

-- Whoever reads the channel reads of every case or report from then on.
CREATE CONSTRAINT TRIGGER guild_channels AFTER UPDATE ON guilds DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)
    AND (NEW.log_channel_id <> coalesce(OLD.log_channel_id, '')
      OR NEW.reports_channel_id <> coalesce(OLD.reports_channel_id, '')))
  EXECUTE FUNCTION require_fresh_sign_in();
