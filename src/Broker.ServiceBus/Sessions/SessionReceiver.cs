namespace Holdfast.Broker.ServiceBus;
internal sealed class SessionReceiver(string queue, EntityName entity, Dialer dialer, BrokerClock clock, ServiceBusBrokerOptions options) : IReceiver
{
    public string Queue => queue + entity + dialer + clock + options;
    public bool IsConnected => false;
    public int RenewalBatch => 512;
    public ValueTask OpenAsync(CancellationToken cancel) => throw new NotImplementedException();
    public ValueTask DisposeAsync() => throw new NotImplementedException();
    public void LetGo(Delivery delivery) => throw new NotImplementedException();
    public ValueTask<int> ReceiveAsync(Memory<Delivery> room, CancellationToken cancel) => throw new NotImplementedException();
    public ValueTask RenewAsync(ReadOnlyMemory<Delivery> due, Memory<Renewal> outcomes, CancellationToken cancel) => throw new NotImplementedException();
    public ValueTask<bool> SettleAsync(Delivery delivery, Settlement settlement, CancellationToken cancel) => throw new NotImplementedException();
}
