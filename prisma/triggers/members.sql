-- What the bot may do in channels may have changed.
CREATE TRIGGER bot_told AFTER UPDATE ON members
  FOR EACH ROW WHEN (NEW.bot AND OLD.role_ids <> NEW.role_ids) EXECUTE FUNCTION tell_of_change('channel');

-- The first steps of a guild name a second moderator.
CREATE TRIGGER moderator_come AFTER INSERT ON members
  FOR EACH ROW WHEN (NOT NEW.bot) EXECUTE FUNCTION tell_of_moderator();

CREATE TRIGGER moderator_made AFTER UPDATE OF role_ids ON members
  FOR EACH ROW WHEN (NOT NEW.bot AND OLD.role_ids <> NEW.role_ids) EXECUTE FUNCTION tell_of_moderator();

-- The mirror also learns of names that changed while no bot listened.
CREATE TRIGGER rename_kept AFTER UPDATE OF username, display_name ON members
  FOR EACH ROW WHEN (NOT NEW.bot AND (OLD.username, OLD.display_name) IS DISTINCT FROM (NEW.username, NEW.display_name))
  EXECUTE FUNCTION keep_rename();
