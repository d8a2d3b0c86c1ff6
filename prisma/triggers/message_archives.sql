-- Its page says from which channel the messages are.
CREATE TRIGGER channel_met AFTER INSERT ON message_archives
  FOR EACH ROW EXECUTE FUNCTION meet_channel('channel_id');
