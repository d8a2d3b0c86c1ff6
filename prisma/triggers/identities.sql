CREATE TRIGGER identity_told AFTER INSERT OR UPDATE OR DELETE ON identities
  FOR EACH ROW EXECUTE FUNCTION tell_of_change('note');

CREATE TRIGGER identity_person_met AFTER INSERT ON identities
  FOR EACH ROW EXECUTE FUNCTION meet_person('user_id');

CREATE CONSTRAINT TRIGGER identity_hand AFTER INSERT OR UPDATE OR DELETE ON identities DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_hand('strikes.write', 'guild_id', 'set_by');

CREATE TRIGGER identity_import_forgotten AFTER DELETE ON identities
  FOR EACH ROW EXECUTE FUNCTION forget_imported_identity();
