/** What is said of the files of a message that somebody was struck for. */
export const evidence = {
  caption: 'Case #{number}: files of the message that {user} was struck for',
  kept: '{count, plural, one {The attached file is} other {The # attached files are}} kept: {link}',
  noChannel:
    '{count, plural, one {The attached file was} other {The # attached files were}} not kept: this server has no log channel. Its owner sets one in the dashboard.',
  tooLarge:
    '{count, plural, one {# attached file was} other {# attached files were}} not kept: more than {megabytes} MB.',
  unread:
    '{count, plural, one {# attached file was} other {# attached files were}} not kept: Discord did not hand over what was attached.',
  unposted:
    '{count, plural, one {The attached file was} other {The # attached files were}} not kept: the bot could not post in {channel}.',
  forgotten: 'What was attached was not kept: the form was open for too long, or the bot was started anew.',
} as const;
