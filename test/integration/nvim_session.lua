-- Neovim's own LSP client on one file: diagnostics appear, a code action repairs the file, they go away.
-- nvim --headless -u NONE -l / -c luafile: globals come from the environment.
local program, file = vim.env.KCHECK_CLANGD, vim.env.KCHECK_FILE

local function finish(message)
  io.stdout:write(message .. "\n")
  vim.cmd(message == "ok" and "qall!" or "cquit!")
end

local function findings()
  return vim.tbl_filter(function(d)
    return (d.code or (d.user_data and d.user_data.lsp and d.user_data.lsp.code) or "") == vim.env.KCHECK_CHECK
  end, vim.diagnostic.get(0))
end

local client = vim.lsp.start_client({name = "kcheck", cmd = {program, "--background-index=false"}, root_dir = vim.fn.fnamemodify(file, ":h")})
vim.cmd("edit " .. file)
vim.lsp.buf_attach_client(0, client)
if not vim.wait(120000, function() return #findings() > 0 end, 50) then
  finish("no diagnostic appeared")
end

local d = findings()[1]
local range = {start = {line = d.lnum, character = d.col}, ["end"] = {line = d.end_lnum, character = d.end_col}}
local answer = vim.lsp.buf_request_sync(0, "textDocument/codeAction", {
  textDocument = vim.lsp.util.make_text_document_params(), range = range,
  context = {diagnostics = {{range = range, message = d.message, severity = d.severity}}},
}, 30000)
local applied = false
for _, reply in pairs(answer or {}) do
  for _, action in ipairs(reply.result or {}) do
    if action.edit and action.kind == "quickfix" and not applied then
      vim.lsp.util.apply_workspace_edit(action.edit, "utf-16")
      applied = true
    end
  end
end
if not applied then
  finish("no code action: " .. vim.inspect(answer))
end
if not vim.wait(60000, function() return #findings() == 0 end, 50) then
  finish("the diagnostic stayed after the fix")
end
vim.cmd("write")
finish("ok")
