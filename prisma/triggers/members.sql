-- What the bot may do in channels may have changed.
CREATE TRIGGER bot_told AFTER UPDATE ON members
  FOR EACH ROW WHEN (NEW.bot AND OLD.role_ids <> NEW.role_ids) EXECUTE FUNCTION tell_of_change('channel');
