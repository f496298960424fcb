// For mongosh, at the first of three: makes them one replica set, and waits until it has a primary. Run again it only waits.
const members = ['mongo-1', 'mongo-2', 'mongo-3'].map((name, _id) => ({ _id, host: `${name}:27017` }));

function isInitiated() {
  try {
    return rs.status().ok === 1;
  } catch (error) {
    if (error.codeName === 'NotYetInitialized') return false;
    throw error;
  }
}

if (!isInitiated()) rs.initiate({ _id: 'tideline', members });

for (let tries = 0; tries < 60; tries += 1) {
  if (rs.status().members.some(({ stateStr }) => stateStr === 'PRIMARY')) quit(0);
  sleep(500);
}
print('the replica set has no primary after 30 s');
quit(1);
