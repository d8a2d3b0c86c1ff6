CREATE TRIGGER evidence_followed AFTER INSERT OR UPDATE ON evidence
  FOR EACH ROW WHEN (NEW.case_id IS NOT NULL) EXECUTE FUNCTION follow_evidence();
