import { MongoClientClosedError, MongoNetworkError, MongoServerError } from 'mongodb';
import { fateOf } from '../../src/store/mongo/failures.ts';

const answered = (more: object) => new MongoServerError({ message: 'no', ...more });

/** Whatever these tests do not name is an error of the program, and is thrown as it is. */
describe('what an error says about the operation', () => {
  it.each([
    ['closed', new MongoClientClosedError()],
    ['notExecuted', answered({ code: 10107 })],
    ['notExecuted', answered({ code: 13435 })],
    ['notExecuted', answered({ code: 10058 })],
    ['unknown', answered({ code: 11602 })],
    ['unknown', answered({ code: 189 })],
    ['unknown', answered({ code: 91 })],
    ['unknown', answered({ code: 10107, writeConcernError: { code: 10107 } })],
    ['unknown', answered({ code: 64, writeConcernError: { code: 64 } })],
    ['unknown', new MongoNetworkError('connection 1 closed')],
    ['unknown', Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' })],
    ['unknown', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })],
    ['answered', answered({ code: 11000 })],
    ['answered', Object.assign(new TypeError('wrong'), { code: 'ERR_INVALID_ARG_TYPE' })],
    ['answered', new Error('a bug')],
  ])('%s: %s', (fate, error) => {
    expect(fateOf(error)).toBe(fate);
  });
});
