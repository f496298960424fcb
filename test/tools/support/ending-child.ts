/** Ends at its first message, without an answer. */
process.on('message', () => process.exit(3));
