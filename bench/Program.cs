using Holdfast.Bench;

return args switch
{
    [PartProcess.Argument, var name, var part, var scale] => PartProcess.Run(name, part, scale),
    [RenewalServer.Argument] => RenewalServer.Run(),
    _ => await Session.RunAsync(Arguments.Parse(args)),
};
