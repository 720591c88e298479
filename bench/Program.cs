using Holdfast.Bench;

return args switch
{
    [PartProcess.Argument, var name, var part, var scale] => PartProcess.Run(name, part, scale),
    [ClientProcess.Argument, var assignment] => await ClientProcess.RunAsync(Assignment.Parse(assignment)),
    [RenewalServer.Argument] => RenewalServer.Run(),
    [HttpServer.Argument] => await HttpServer.RunAsync(),
    [HttpPeer.Argument, var side, var url, var http2] => HttpPeer.Serve(side, url, bool.Parse(http2)),
    [PageWorker.Argument] => await PageWorker.RunAsync(),
    _ => await Session.RunAsync(Arguments.Parse(args)),
};
