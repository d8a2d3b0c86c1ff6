CREATE TRIGGER case_message_followed AFTER INSERT OR UPDATE ON case_messages
  FOR EACH ROW WHEN (NEW.case_id IS NOT NULL) EXECUTE FUNCTION follow_evidence();
