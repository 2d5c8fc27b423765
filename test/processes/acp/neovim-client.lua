-- A client of the Agent Client Protocol in Neovim's own Lua.
local cwd = assert(os.getenv("ACP_CWD"))
local agent = assert(os.getenv("ACP_AGENT"))
local path = cwd .. "/src/a.txt"
vim.cmd("edit " .. vim.fn.fnameescape(path))
local buffer = vim.api.nvim_get_current_buf()
vim.api.nvim_buf_set_lines(buffer, 0, -1, false, { "unsaved in the buffer" })
local pending, next_id, rest, seen = {}, 0, "", {}
local job
local function send(message)
  message.jsonrpc = "2.0"
  vim.fn.chansend(job, vim.fn.json_encode(message) .. "\n")
end
local function receive(message)
  if message.method == nil then
    pending[message.id] = message
  elseif message.method == "session/update" then
    table.insert(seen, message.params.update)
  elseif message.method == "fs/read_text_file" then
    do
      local found = vim.fn.bufnr(message.params.path)
      local lines = vim.api.nvim_buf_get_lines(found, 0, -1, false)
      table.insert(seen, { sessionUpdate = "read", path = message.params.path })
      send({ id = message.id, result = { content = table.concat(lines, "\n") .. "\n" } })
    end
  elseif message.method == "session/request_permission" then
    table.insert(seen, { sessionUpdate = "asked" })
    send({ id = message.id, result = { outcome = { outcome = "selected", optionId = "once" } } })
  end
end
job = vim.fn.jobstart({ agent }, {
  cwd = cwd,
  on_stdout = function(_, data)
    -- The first piece goes on with the last line of the call before.
    data[1] = rest .. data[1]
    rest = table.remove(data)
    for _, line in ipairs(data) do
      if line ~= "" then receive(vim.fn.json_decode(line)) end
    end
  end,
})
local function request(method, params)
  next_id = next_id + 1
  local id = next_id
  send({ id = id, method = method, params = params })
  assert(vim.wait(60000, function() return pending[id] ~= nil end, 10), method .. " got no answer")
  local answer = pending[id]
  if answer.error then error(method .. ": " .. answer.error.message) end
  return answer.result
end
local init = request("initialize", {
  protocolVersion = 1,
  clientCapabilities = { fs = { readTextFile = true, writeTextFile = true }, terminal = false },
})
local session = request("session/new", { cwd = cwd, mcpServers = {} })
local function say(text)
  return request("session/prompt", {
    sessionId = session.sessionId,
    prompt = { { type = "text", text = text } },
  }).stopReason
end
local stops = { say("look please"), say("alter it") }
vim.cmd("write!")
table.insert(stops, say("alter it"))
vim.cmd("set autoread | checktime")
vim.wait(200, function() return false end)
local kinds = {}
for _, update in ipairs(seen) do
  local text = update.sessionUpdate
  if update.status == "failed" then text = text .. ":failed" end
  table.insert(kinds, text)
end
local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
local report = { version = init.protocolVersion, stops = stops, kinds = kinds, lines = lines }
vim.fn.writefile({ vim.fn.json_encode(report) }, os.getenv("ACP_REPORT"))
vim.fn.chanclose(job, "stdin")
vim.fn.jobwait({ job }, 10000)
vim.cmd("qa!")
