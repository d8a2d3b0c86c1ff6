-- What the bot may do in channels may have changed.
CREATE TRIGGER role_told AFTER UPDATE ON roles
  FOR EACH ROW WHEN (OLD.permissions <> NEW.permissions) EXECUTE FUNCTION tell_of_change('channel');
