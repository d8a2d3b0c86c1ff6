CREATE TRIGGER session_asked AFTER INSERT ON sessions
  FOR EACH ROW WHEN (NEW.access_token_sealed IS NOT NULL) EXECUTE FUNCTION ask_whose_session();

CREATE TRIGGER session_told AFTER UPDATE OF confirmed_at ON sessions
  FOR EACH ROW WHEN (NEW.confirmed_at IS NOT NULL) EXECUTE FUNCTION tell_of_session();
