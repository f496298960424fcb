// For mongosh, on the host of the first of three: makes them one replica set with an administrator and the user of the service. Run again
// it changes nothing. The passwords are in files.

const { readFileSync } = require('node:fs');

const hosts = ['mongo-1', 'mongo-2', 'mongo-3'].map((name) => `${name}:27017`);
const passwordIn = (name) => readFileSync(`/run/secrets/${name}`, 'utf8').trim();
const adminPassword = passwordIn('mongo-admin-password');

function waitUntil(what, holds) {
  for (let tries = 0; tries < 120; tries += 1) {
    if (holds()) return;
    sleep(500);
  }
  print(`after 60 s ${what} is not true`);
  quit(1);
}

function canSignIn() {
  try {
    db.getSiblingDB('admin').auth('admin', adminPassword);
    return true;
  } catch (error) {
    if (error.codeName === 'AuthenticationFailed') return false;
    throw error;
  }
}

if (db.hello().setName === undefined) {
  // The first one becomes the primary whenever it can.
  const members = hosts.map((host, _id) => ({ _id, host, priority: _id === 0 ? 2 : 1 }));
  rs.initiate({ _id: 'tideline', members });
}
waitUntil('"the set has a primary"', () => db.hello().primary !== undefined);

if (!canSignIn()) {
  // Only from this host, and only as long as there is no user.
  waitUntil('"mongo-1 is the primary"', () => db.hello().isWritablePrimary);
  db.getSiblingDB('admin').createUser({ user: 'admin', pwd: adminPassword, roles: ['root'] });
}

const uri = `mongodb://admin:${encodeURIComponent(adminPassword)}@${hosts.join(',')}/admin?replicaSet=tideline`;
const service = new Mongo(uri).getDB('tideline');
if (service.getUser('tideline') === null) {
  const roles = [{ role: 'readWrite', db: 'tideline' }];
  service.createUser({ user: 'tideline', pwd: passwordIn('mongo-password'), roles });
}
