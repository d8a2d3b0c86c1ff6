CREATE TRIGGER appeal_followed AFTER INSERT OR UPDATE OF state ON appeals
  FOR EACH ROW EXECUTE FUNCTION follow_appeal();
