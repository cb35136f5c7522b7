// Reads files with hyparquet: node read.mjs FILE…; see read.py.
import { createHash } from 'node:crypto'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'

const plain = (_, value) => typeof value === 'bigint' ? `${value}n` : value

async function outcome(path) {
  try {
    const file = await asyncBufferFromFile(path)
    const metadata = await parquetMetadataAsync(file)
    const rows = await parquetReadObjects({ file, metadata })
    const columns = Object.keys(rows[0])
    return { rows: rows.length, columns, digest: createHash('sha256').update(JSON.stringify(rows, plain)).digest('hex') }
  } catch (error) {
    return { error: `${error}`.slice(0, 300) }
  }
}

for (const path of process.argv.slice(2)) console.log(JSON.stringify(await outcome(path)))
